// Finding a route once: the paths without a parameter are the busiest ones, and each is found in Hono's tree a single time.
import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/** Hono's router for whatever routes there are, which remembers what it found for a path that stands in a table. */
export class KnownRouter<T> implements Router<T> {
  readonly name = 'KnownRouter'
  readonly #routes = new TrieRouter<T>()
  readonly #paths = new Set<string>()
  readonly #found = new Map<string, Result<T>>()

  add(method: string, path: string, handler: T): void {
    this.#routes.add(method, path, handler)
    if (!/[:*]/.test(path)) this.#paths.add(path)
  }

  match(method: string, path: string): Result<T> {
    const key = `${method} ${path}`
    const known = this.#found.get(key)
    if (known) return known
    const found = this.#routes.match(method, path)
    // nothing else, or anybody could fill the memory: Node takes some forty methods
    if (this.#paths.has(path)) this.#found.set(key, found)
    return found
  }
}
