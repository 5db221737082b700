// A third-party app that gets its tokens as a device does, which needs no browser.
import type { Person } from './person.ts'

export type AppTokens = { access_token: string; refresh_token: string }
type Device = { device_code: string; user_code: string }

/** A request of an app. @returns the status and the answer */
export async function askOauth(url: string, path: string, form: Record<string, string>) {
  const answer = await fetch(`${url}/oauth/${path}`, { method: 'POST', body: new URLSearchParams(form) })
  const text = await answer.text()
  return { status: answer.status, body: text ? JSON.parse(text) : null }
}

/** Registers an app without a secret. The instance must allow its owner to do that. @returns its id */
export async function registerApp(owner: Person, scopes: string[], more: object = {}): Promise<string> {
  const app = { name: 'A lamp', redirectUris: ['https://lamp.example/done'], scopes, ...more }
  const { status, body, text } = await owner.post<{ id: string }>('/apps', app)
  if (status !== 201) throw new Error(`the app was not registered: ${status} ${text}`)
  return body.id
}

/** Gets tokens for an app: the app shows a code, and the person enters it and allows the app. */
export async function letDeviceIn(url: string, app: string, person: Person, scopes: string[]): Promise<AppTokens> {
  const device: Device = (await askOauth(url, 'device-code', { client_id: app, scope: scopes.join(' ') })).body
  const { status, text } = await person.post('/oauth/device/decision', { userCode: device.user_code, allow: true })
  if (status !== 204) throw new Error(`the device was not let in: ${status} ${text}`)
  const { body } = await askOauth(url, 'token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: app,
    device_code: device.device_code,
  })
  return body
}
