// Encodes values for a statement.

/**
 * A value as text that Postgres can read. JSON is text, too, because postgres.js would encode a json parameter twice.
 */
export function encode(value: unknown, type: string): string | null {
  if (value === null || value === undefined) return null
  if (type.endsWith('[]') && Array.isArray(value)) return `{${value.map((item) => element(item, type)).join()}}`
  if (type === 'json' || type === 'jsonb') return JSON.stringify(value)
  return value instanceof Date ? value.toISOString() : String(value)
}

function element(item: unknown, type: string): string {
  const text = encode(item, type.slice(0, -2))
  return text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`
}
