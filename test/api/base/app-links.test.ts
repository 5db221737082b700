// The files that say which apps may open the links of this site.
import { describe, expect, test } from 'vitest'
import { world } from '../../support/world.ts'

const CERTIFICATE = Array.from({ length: 32 }, () => 'A7').join(':')
const APPS = ['ABCDE12345.org.example.kith', 'ABCDE12345.org.example.beta']
const { nobody } = await world({
  people: [],
  env: { ANDROID_APP: 'org.example.kith', ANDROID_CERTIFICATES: CERTIFICATE, APPLE_APP_IDS: APPS.join(', ') },
})
const without = await world({ people: [] })
const FILES = ['/.well-known/assetlinks.json', '/.well-known/apple-app-site-association'] as const

describe('App links', () => {
  test('name the Android app and its certificates', async () => {
    expect(await nobody.get(`/${FILES[0]}`)).toMatchObject({
      status: 200,
      body: [
        {
          relation: ['delegate_permission/common.handle_all_urls'],
          target: {
            namespace: 'android_app',
            package_name: 'org.example.kith',
            sha256_cert_fingerprints: [CERTIFICATE],
          },
        },
      ],
    })
  })

  test('name the Apple apps, and leave out what this facade serves itself', async () => {
    type Apple = { applinks: { details: { appIDs: string[]; components: object[] }[] } }
    const { status, body } = await nobody.get<Apple>(`/${FILES[1]}`)
    const [details, ...others] = body.applinks.details
    expect([status, details?.appIDs, others]).toEqual([200, APPS, []])
    expect(details?.components[0]).toEqual({ '/': '/api/*', exclude: true })
    expect(details?.components.at(-1)).toEqual({ '/': '*' })
  })

  test.each(FILES)('%s is JSON that everybody may cache', async (path) => {
    const { headers } = await nobody.get(`/${path}`)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expect(await nobody.request('POST', `/${path}`)).toFailWith(405, 'method_not_allowed')
  })

  test.each(FILES)('%s does not exist if no app is configured', async (path) => {
    expect(await without.nobody.get(`/${path}`)).toFailWith(404, 'route_unknown')
  })
})
