// The alerts and the dashboard of docs/watch. Everything that they name exists, and each alert has a unit test and a
// section in docs/runbook.md. On a machine with promtool, promtool accepts the files.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../supabase/tools/schema.ts'
import { world } from './support/world.ts'

const folder = join(root, 'docs/watch')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }
type Case = { eval_time: string; alertname: string; exp_alerts: unknown[] }
type Panel = { id: number; title: string; gridPos: Box; targets?: { expr: string }[] }
type Box = { x: number; y: number; w: number; h: number }

const { groups } = parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.map(({ alert }) => alert).sort()
const { tests } = parse(read('alerts.test.yaml')) as { tests: { alert_rule_test: Case[] }[] }
const { panels } = JSON.parse(read('dashboard.json')) as { panels: Panel[] }
const expressions = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
]

const token = 'a-token-for-the-scraper'
const { nobody, database } = await world({ people: [], env: { METRICS_TOKEN: token } })

type Selector = { metric: string; matchers: { label: string; values: string[] }[] }

/** The metrics of an expression, with the values for their labels: a{job="x"} and a{job=~"x|y"}. */
const selectorsOf = (expr: string): Selector[] =>
  [...expr.matchAll(/\b((?:kith|process|nodejs)_\w+|up\b)(?:\{([^}]*)\})?/g)].map(([, metric = '', list = '']) => ({
    metric,
    matchers: [...list.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', , value = '']) => ({
      label,
      values: value.split('|'),
    })),
  }))

/** Metrics that the instance does not have, and label values of jobs and queues that it does not have. */
async function unknown(list: readonly { where: string; expr: string }[]): Promise<string[]> {
  const { text } = await nobody.get('//metrics', { Authorization: `Bearer ${token}` })
  const kinds = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', kind = '']) => [name, kind]))
  const isMetric = (name: string) =>
    kinds.has(name) || kinds.get(name.replace(/_(bucket|count|sum)$/, '')) === 'histogram' || name === 'up'
  const names = async (sql: Promise<readonly { name: string }[]>) => (await sql).map(({ name }) => name)
  const { owner } = database
  const queues = await names(owner<{ name: string }[]>`select name from pgboss.queue`)
  const jobs = await names(owner<{ name: string }[]>`select name from private.jobs`)
  // The values of labels. The worker records runs under the names of jobs and queues, and under two other names.
  const known: Record<string, readonly string[]> = {
    queue: queues,
    exported_job: [...jobs, ...queues, 'effects', 'webhooks'],
    state: ['created', 'retry', 'active', 'failed'],
  }
  return list.flatMap(({ where, expr }) =>
    selectorsOf(expr).flatMap(({ metric, matchers }) => [
      ...(isMetric(metric) ? [] : [`${where}: ${metric}`]),
      ...matchers.flatMap(({ label, values }) =>
        values.filter((value) => known[label]?.includes(value) === false).map((value) => `${where}: ${label}=${value}`),
      ),
    ]),
  )
}

test('every metric, job and queue in the alerts and on the dashboard exists', async () => {
  expect(expressions.length).toBeGreaterThan(30)
  expect(expressions.filter(({ expr }) => selectorsOf(expr).length === 0)).toEqual([])
  expect(await unknown(expressions)).toEqual([])
})

test('a metric, a job, a queue or a state that does not exist is found', async () => {
  const expr = 'a(kith_gone{queue="mail"}[5m]) > kith_queue_depth{queue=~"mail|gone",state="old"} / kith_ready_sum'
  const found = ['A: kith_gone', 'A: queue=gone', 'A: state=old', 'A: kith_ready_sum']
  expect(await unknown([{ where: 'A', expr }])).toEqual(found)
  const other = 'kith_job_runs_total{exported_job="gone"} and kith_http_request_duration_seconds_bucket{le="1"}'
  expect(await unknown([{ where: 'B', expr: other }])).toEqual(['B: exported_job=gone'])
})

test('the alert about audits names the jobs that have an alarm', async () => {
  const audits = await database.owner<
    { name: string }[]
  >`select name from private.jobs where alarm is not null order by 1`
  const { expr = '' } = rules.find(({ alert }) => alert === 'KithAuditFoundErrors') ?? {}
  expect(selectorsOf(expr)[0]?.matchers[0]?.values.sort()).toEqual(audits.map(({ name }) => name))
})

test('every alert has a section in docs/runbook.md, which begins with its severity, and there is no other', () => {
  const page = readFileSync(join(root, 'docs/runbook.md'), 'utf8')
  const [, chapter = ''] = /^## Alerts\n([\s\S]*?)^## /m.exec(page) ?? []
  const sections = [...chapter.matchAll(/^### (\w+)\n\n(\w+)\. /gm)].map(([, name, first]) => [
    name,
    first?.toLowerCase(),
  ])
  expect(Object.fromEntries(sections)).toEqual(
    Object.fromEntries(rules.map(({ alert, labels }) => [alert, labels.severity])),
  )
  expect(sections.length).toBe(rules.length)
  expect(rules.filter(({ annotations }) => !annotations.summary)).toEqual([])
})

test('every alert has a unit test in which it fires, and one in which it does not', () => {
  const cases = tests.flatMap((one) => one.alert_rule_test)
  const named = (list: Case[]) => [...new Set(list.map(({ alertname }) => alertname))].sort()
  expect(named(cases.filter(({ exp_alerts }) => exp_alerts.length > 0))).toEqual(alerts)
  expect(named(cases.filter(({ exp_alerts }) => exp_alerts.length === 0))).toEqual(alerts)
})

test('the panels of the dashboard do not overlap, and each has a unique id and title', () => {
  const overlap = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
  const overlapping = panels.flatMap((a) => panels.filter((b) => a !== b && overlap(a.gridPos, b.gridPos)))
  expect(overlapping.map(({ title }) => title)).toEqual([])
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
})

/** Runs promtool, and returns its output if it finds errors. Null if this machine does not have it. */
function promtool(...args: string[]): string | null {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
  if (error && 'code' in error && error.code === 'ENOENT') return null
  if (error) throw error
  return status === 0 ? '' : stdout + stderr
}

test('promtool accepts the files and runs the unit tests of the alerts, if this machine has it', async ({
  annotate,
}) => {
  const checks = [
    ['check', 'config', '--syntax-only', 'prometheus.yaml'],
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ]
  const results = checks.map((args) => promtool(...args))
  if (results.every((result) => result === null)) {
    await annotate('this machine has no promtool (package prometheus), so the unit tests of the alerts did not run')
    return
  }
  expect(results).toEqual(['', '', ''])
})
