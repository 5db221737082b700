// Generated avatars: the same style and seed always give the same picture. Nothing is stored: a URL identifies its
// picture.
import { createHash } from 'node:crypto'
import { Avatar, Style, type StyleDefinition } from '@dicebear/core'
import type { z } from 'zod'
import type { Context } from '../../lib/context.ts'
import { send } from '../../lib/headers.ts'
import { API } from '../../lib/routes.ts'
import type { AvatarParams, NewAvatar, styles } from './schemas.ts'

type StyleName = (typeof styles)[number]

// A style is loaded when it is first requested.
const definitions: Readonly<Record<StyleName, () => Promise<{ default: unknown }>>> = {
  lorelei: () => import('@dicebear/styles/lorelei.json', { with: { type: 'json' } }),
  notionists: () => import('@dicebear/styles/notionists.json', { with: { type: 'json' } }),
  personas: () => import('@dicebear/styles/personas.json', { with: { type: 'json' } }),
  micah: () => import('@dicebear/styles/micah.json', { with: { type: 'json' } }),
  avataaars: () => import('@dicebear/styles/avataaars.json', { with: { type: 'json' } }),
}
const loaded = new Map<StyleName, Promise<Style>>()

function styleOf(name: StyleName): Promise<Style> {
  const known = loaded.get(name)
  if (known) return known
  const style = definitions[name]().then((module) => new Style(module.default as StyleDefinition))
  loaded.set(name, style)
  return style
}

const draw = async (style: StyleName, picture: string): Promise<string> =>
  new Avatar(await styleOf(style), { seed: picture, size: 256 }).toString()

/** The hash that a URL has instead of the seed, because a seed may be a name or a person's id. */
const pictureOf = (seed: string): string =>
  createHash('sha256').update(`kith avatar ${seed}`).digest('hex').slice(0, 32)

export async function generateAvatar(c: Context, { style, seed }: z.output<typeof NewAvatar>) {
  const picture = pictureOf(seed === undefined ? `of ${c.get('claims')?.sub}` : `by ${seed}`)
  const { facadeUrl } = c.get('services').config
  return { svg: await draw(style, picture), url: `${facadeUrl}${API}/media/avatar/${style}/${picture}` }
}

export async function showAvatar(c: Context, { style, picture }: z.output<typeof AvatarParams>): Promise<Response> {
  return send(c, await draw(style, picture), 200, {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
    'content-type': 'image/svg+xml',
    'cross-origin-resource-policy': 'cross-origin',
  })
}
