// Parses the messages of inserts from a walsender: PostgreSQL's logical replication with the plugin pgoutput, protocol
// version 1, text. See PostgreSQL, "Logical Replication Message Formats".

/** A column's value as text, null for SQL null. */
export type InsertedRow = Readonly<Record<string, string | null>>

type Columns = readonly string[]

/** Reads the fields of a message in order. */
function cursor(data: Buffer, start: number) {
  let at = start
  return {
    skip(bytes: number) {
      at += bytes
    },
    byte: () => String.fromCharCode(data[at++] ?? 0),
    int16() {
      at += 2
      return data.readInt16BE(at - 2)
    },
    int32() {
      at += 4
      return data.readInt32BE(at - 4)
    },
    /** Up to a zero byte. */
    string() {
      const from = at
      at = data.indexOf(0, from) + 1
      return data.toString('utf8', from, at - 1)
    },
    text(bytes: number) {
      at += bytes
      return data.toString('utf8', at - bytes, at)
    },
  }
}

/**
 * A parser of one stream, in which relations are described once, before their first row. It returns the row of an
 * insert, or null.
 */
export function createDecoder(): (data: Buffer) => InsertedRow | null {
  const relations = new Map<number, Columns>()

  function relation(data: Buffer): void {
    const read = cursor(data, 1)
    const id = read.int32()
    read.string() // schema
    read.string() // table
    read.skip(1) // replica identity
    const columns = Array.from({ length: read.int16() }, () => {
      read.skip(1) // flags
      const name = read.string()
      read.skip(8) // type and its modifier
      return name
    })
    relations.set(id, columns)
  }

  function insert(data: Buffer): InsertedRow {
    const read = cursor(data, 1)
    const columns = relations.get(read.int32())
    if (!columns) throw new Error('A row of a relation that was not described.')
    read.skip(3) // "new tuple", and the number of columns
    return Object.fromEntries(columns.map((name) => [name, read.byte() === 't' ? read.text(read.int32()) : null]))
  }

  return (data) => {
    const kind = String.fromCharCode(data[0] ?? 0)
    if (kind === 'R') relation(data)
    return kind === 'I' ? insert(data) : null
  }
}
