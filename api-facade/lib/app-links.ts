// App links: the files in which the operator says which apps may open the links of this site.
// https://developer.android.com/training/app-links,
// https://developer.apple.com/documentation/xcode/supporting-associated-domains
import type { Hono } from 'hono'
import type { Config } from './config.ts'
import type { Env } from './context.ts'
import { ApiError } from './errors.ts'
import { send } from './headers.ts'
import { otherMethods } from './methods.ts'

/**
 * The paths that apps must not open: those for programs, the admin panel and the web client. Apps may open the pages
 * for people, to which mail links.
 */
const OWN = [
  ...['/api/*', '/docs', '/docs/*', '/openapi.json', '/health', '/ready', '/metrics', '/rest/*', '/realtime/*'],
  ...['/admin', '/admin/*', '/app', '/app/*', '/web/*'],
]

const androidLinks = (app: NonNullable<Config['androidApp']>) => [
  {
    relation: ['delegate_permission/common.handle_all_urls'],
    target: { namespace: 'android_app', package_name: app.name, sha256_cert_fingerprints: app.certificates },
  },
]

const appleLinks = (ids: string[]) => ({
  applinks: {
    details: [{ appIDs: ids, components: [...OWN.map((path) => ({ '/': path, exclude: true })), { '/': '*' }] }],
  },
  webcredentials: { apps: ids },
})

/** Serves both files from the configuration. If the variables of a file are not set, its path answers 404. */
export function mountAppLinks(app: Hono<Env>, { androidApp, appleAppIds }: Config): void {
  const files = {
    '/.well-known/assetlinks.json': androidApp && androidLinks(androidApp),
    '/.well-known/apple-app-site-association': appleAppIds && appleLinks(appleAppIds),
  }
  for (const [path, file] of Object.entries(files)) {
    const text = file && JSON.stringify(file)
    app.get(path, (c) => {
      if (!text) throw new ApiError('route_unknown')
      return send(c, text, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' })
    })
    app.all(path, otherMethods(['GET']))
  }
}
