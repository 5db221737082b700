// Caches the routes of paths without a parameter, which are the most frequent ones.
import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/** Hono's router, which caches its result for every path of a table. */
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
    // nothing else, because clients could fill the memory: Node accepts about forty methods
    if (this.#paths.has(path)) this.#found.set(key, found)
    return found
  }
}
