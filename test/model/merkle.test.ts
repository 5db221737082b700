// The Merkle trees of checkpoints: SQL and TypeScript against the definition of RFC 9162, for trees of any size, and the
// proofs of every leaf.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rootFrom, rootOf } from '../../api-facade/lib/checkpoints.ts'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner } = await createDatabase()

const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const leaf = (hash: Buffer) => sha256(Buffer.of(0), hash)

/** The definition, word for word: the largest power of two below the size splits the leaves. */
function defined(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes
  if (hashes.length === 1 && only) return leaf(only)
  let split = 1
  while (split * 2 < hashes.length) split *= 2
  return sha256(Buffer.of(1), defined(hashes.slice(0, split)), defined(hashes.slice(split)))
}

const hashesOf = (size: number) => Array.from({ length: size }, (_, n) => sha256(Buffer.from(`entry ${n}`)))

type Found = { root: string; path: string[] }
/** The root and the path of a leaf as SQL computes them. */
async function inSql(hashes: readonly Buffer[], place: number): Promise<Found> {
  const leaves = `{${hashes.map((hash) => `"\\\\x${leaf(hash).toString('hex')}"`).join()}}`
  const [row] = await owner<Found[]>`
    select encode(private.merkle_root(l.leaves), 'hex') as root,
           array(select encode(node, 'hex') from unnest(private.merkle_path(l.leaves, ${place + 1})) node) as path
    from (select ${leaves}::text::bytea[] as leaves) l`
  return row ?? { root: '', path: [] }
}

const changed = (hex: string) => `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}`

/** Expects that the proof fits this leaf, and that it fits nothing that was changed. */
async function check(size: number, place: number): Promise<void> {
  const hashes = hashesOf(size)
  const texts = hashes.map((hash) => hash.toString('hex'))
  const root = defined(hashes).toString('hex')
  const sql = await inSql(hashes, place)
  expect([rootOf(texts), sql.root]).toEqual([root, root])
  const own = texts[place] ?? ''
  expect(rootFrom(own, place, size, sql.path)).toBe(root)
  expect(rootFrom(changed(own), place, size, sql.path)).not.toBe(root)
  for (const [at, node] of sql.path.entries()) {
    expect(rootFrom(own, place, size, sql.path.with(at, changed(node)))).not.toBe(root)
    expect(rootFrom(own, place, size, sql.path.toSpliced(at, 1))).not.toBe(root)
  }
  expect(rootFrom(own, place, size, [...sql.path, own])).toBeNull()
  if (size > 1) expect(rootFrom(own, (place + 1) % size, size, sql.path)).not.toBe(root)
  expect(rootFrom(own, size, size, sql.path)).toBeNull()
  expect(rootOf(texts.with(place, changed(own)))).not.toBe(root)
}

test('Every leaf of every tree of up to 17 leaves is proven', async () => {
  for (let size = 1; size <= 17; size++) for (let place = 0; place < size; place++) await check(size, place)
})

test('A leaf of a tree of any size is proven', async () => {
  const tree = fc.integer({ min: 1, max: 10_000 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)))
  await fc.assert(
    fc.asyncProperty(tree, ([size, place]) => check(size, place)),
    { numRuns: runs(10, 200), examples: [[[10_000, 9999]], [[4097, 4096]]] },
  )
}, 120_000)
