// Posts over HTTP for tests: publishing, replying, reading the feed.
import { expect } from 'vitest'
import { walk } from './lists.ts'
import type { Person } from './person.ts'

/** A post's card, as far as tests read it. */
export type Post = {
  id: string
  authorId: string
  body: string
  format: string
  interests: { id: string; isPrimary: boolean }[]
  editedAt: string | null
  hiddenAt: string | null
  publishAt: string | null
  publishedAt: string | null
}

/** The id of a new post, by default a note. */
export async function publish(author: Person, more: object = {}): Promise<string> {
  const { status, body } = await author.post<Post>('/posts', { body: 'What I found', ...more })
  expect(status).toBe(201)
  return body.id
}

/** The id of a new reply. */
export async function reply(author: Person, post: string, more: object = {}): Promise<string> {
  const { status, body } = await author.post<{ id: string }>(`/posts/${post}/replies`, { body: 'Indeed', ...more })
  expect(status).toBe(201)
  return body.id
}

export const feed = (person: Person) => walk(person, '/feed', 50)
