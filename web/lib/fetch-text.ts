import { KithError } from 'kith/client'

/** Reads what is not JSON: a CSV, or a text of the operator. @throws KithError */
export async function fetchText(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(path, { headers })
  if (answer.ok) return answer
  throw new KithError(answer.status, answer.headers, await answer.json().catch(() => undefined))
}
