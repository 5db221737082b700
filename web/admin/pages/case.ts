// One case: the thing, its reports and the actions of staff, and what was decided before.
import type { Schema } from 'kith/client'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { Keys } from '../../lib/keys.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { timeText } from '../../lib/texts.ts'
import * as work from '../case-work.ts'
import { actionText, botFacts, categoryText, Deeds, Facts, isMe, nameOf, personLink } from '../parts.ts'
import { isAdmin, kith } from '../session.ts'
import { texts } from '../texts.ts'
import { type Thing, ThingView, thingLink, typeText } from '../things.ts'
import { caseAddress, neighbourOf, queueAddress } from './cases.ts'
import { statusOf } from './people.ts'

type File = work.CaseFile
type Account = Schema<'StaffUserDetails'>

async function read(id: string): Promise<{ file: File; account: Account | null }> {
  const file = await kith.get('/admin/cases/{id}', { params: { path: { id } } })
  const { personId } = file
  const account = personId ? await kith.get('/admin/users/{id}', { params: { path: { id: personId } } }) : null
  return { file, account }
}

/** The decisions about a person, newest first. */
export function Decisions({ decisions }: { decisions: Schema<'CaseDecision'>[] }): VNode {
  const t = texts.value.case
  if (decisions.length === 0) return html`<p class="quiet">${t.noDecisions}</p>` as VNode
  return html`<ul class="entries">
    ${decisions.map(
      (one) => html`<li key=${one.id}>
        <strong>${actionText(one.action)}</strong> · ${thingLink(one.targetType, one.targetId)} · ${categoryText(one.category)}
        ${one.overturnedAt ? html` <span class="tag">${t.overturned}</span>` : one.liftedAt && html` <span class="tag">${t.lifted}</span>`}
        ${one.endsAt && html`<div>${t.endsAt(timeText(one.endsAt))}</div>`}
        ${one.reason && html`<div class="words">${one.reason}</div>`}
        <div class="quiet">${timeText(one.createdAt)} ${one.caseId && html`<a href=${`/admin/cases/${one.caseId}`}>${t.openCase}</a>`}</div>
      </li>`,
    )}
  </ul>` as VNode
}

function Reports({ reports }: { reports: Schema<'StaffReport'>[] }) {
  const t = texts.value.case
  if (reports.length === 0) return html`<p class="quiet">${t.noReports}</p>`
  return html`<ul class="entries">
    ${reports.map(
      (one) => html`<li key=${one.id}>
        ${personLink(one.reporterId, one.reporter)} · ${categoryText(one.category)}
        ${one.status !== 'open' && html` <span class="tag">${t.reportStates[one.status]}</span>`}
        <div class="words">${one.reason}</div>
        ${typeof one.copy?.body === 'string' && html`<p>${t.copy}</p><blockquote class="words">${one.copy.body}</blockquote>`}
        <div class="quiet">${timeText(one.createdAt)}</div>
      </li>`,
    )}
  </ul>`
}

function History({ history }: { history: File['history'] }) {
  const { case: t } = texts.value
  return html`<ul class="entries">
    ${history.map(
      (one) => html`<li>
        <strong>${(t.events as Record<string, string>)[one.kind] ?? actionText(one.kind)}</strong>
        ${one.actor && html` · ${personLink(one.actorId, one.actor)}`}
        ${one.note && html`<div class="words">${one.note}</div>`}
        <div class="quiet">${timeText(one.createdAt)}</div>
      </li>`,
    )}
  </ul>`
}

function Proposals({ file, settle }: { file: File; settle: (id: string, verdict: 'accept' | 'decline') => unknown }) {
  const t = texts.value.case
  const maySettle = isAdmin.value && work.mayWork(file)
  return html`<section>
    <h2>${t.proposals}</h2>
    <ul class="entries">
      ${file.proposals.map(
        (one) => html`<li key=${one.id}>
          <strong>${one.actions.map(actionText).join(', ')}</strong> <span class="tag">${t.proposalStates[one.status]}</span>
          ${one.until && html`<div>${t.endsAt(timeText(one.until))}</div>`}
          <div class="words">${one.reason}</div>
          <div class="quiet">${timeText(one.createdAt)}</div>
          ${
            maySettle &&
            one.status === 'open' &&
            html`<${Deeds} small deeds=${[
              { label: t.accept, isDangerous: true, run: () => settle(one.id, 'accept') },
              { label: t.decline, run: () => settle(one.id, 'decline') },
            ]} />`
          }
        </li>`,
      )}
    </ul>
  </section>`
}

/** The files of the thing, each with a link to make a rule that looks for it everywhere. */
function Files({ file }: { file: File }) {
  const t = texts.value.case
  if (!isAdmin.value || file.media.length === 0) return null
  const ruleFor = (hash: string) => `/admin/new-rule?${new URLSearchParams({ hash, appliesTo: file.targetType })}`
  return html`<ul class="entries">
    ${file.media.map(
      ({ url, sha256 }, at) => html`<li key=${url}>
        <a href=${url} target="_blank" rel="noopener noreferrer">${t.file(at + 1)}</a> ·
        <a href=${ruleFor(sha256)}>${t.ruleForFile}</a>
      </li>`,
    )}
  </ul>`
}

export function CasePage({ params: { id = '' } }: PageProps) {
  const t = texts.value.case
  const page = useLoad(() => read(id), [id])
  const move = async (step: 1 | -1, isDecided = false) => {
    const to = await neighbourOf(id, step, isDecided)
    if (to && to !== id) go(caseAddress(to))
    else if (isDecided) {
      notify(t.allDone)
      go(queueAddress())
    } else notify(step === 1 ? t.last : t.first)
    scrollTo(0, 0)
  }
  const movement = [
    { key: 'j', label: t.next, run: () => move(1) },
    { key: 'k', label: t.previous, run: () => move(-1) },
    { key: 'u', label: t.back, run: () => go(queueAddress()) },
  ]
  const found = page.data.value
  if (!found) {
    return html`<${ErrorNote} error=${page.error.value} />
      ${!page.error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
      <p><a href=${queueAddress()}>${t.back}</a></p>
      <${Keys} keys=${movement} />`
  }
  const { file, account } = found
  const thing = file.target as Thing | null
  const isOpen = file.status === 'open'
  const canWork = work.mayWork(file)
  const actions = canWork ? work.mayDo(file, thing, account) : []
  const proposable = canWork && isOpen ? work.mayPropose(file, thing, account) : []
  /** Runs a step and shows the case again. */
  const step = (run: () => Promise<unknown>) => async () => {
    if ((await run()) !== false) await page.reload()
  }
  /** Runs a decision, and shows the next open case if the decision closed this one. */
  const decide = (run: () => Promise<boolean>) => async () => {
    if (!(await run())) return
    if (!isOpen) return page.reload()
    const now = await kith.get('/admin/cases/{id}', { params: { path: { id } } })
    if (now.status === 'open') page.set({ file: now, account })
    else await move(1, true)
  }
  const once = (action: work.Action) => decide(() => work.actOnce(file, action, account))
  const has = (action: work.Action) => actions.includes(action)
  const deeds = {
    claim: canWork && isOpen && !file.claimedBy && { key: 'c', label: t.claim, run: step(() => work.claim(file)) },
    release: (isMe(file.claimedBy) || (work.isTaken(file) && isAdmin.value)) && {
      label: t.release,
      run: step(() => work.release(file)),
    },
    note: { key: 'n', label: t.addNote, run: step(() => work.addNote(file)) },
    change: canWork && isOpen && { label: t.change, run: step(() => work.change(file)) },
    hide: has('hide') && { key: 'h', label: texts.value.actions.hide, run: once('hide') },
    warn: has('warn') && { key: 'w', label: texts.value.actions.warn, run: once('warn') },
    dismiss: canWork && isOpen && { key: 'd', label: t.dismiss, run: decide(() => work.dismiss(file)) },
    act: actions.length > 0 && {
      key: 'a',
      label: t.actTitle,
      isMain: true,
      run: decide(() => work.actAtOnce(file, actions, account)),
    },
    propose: proposable.length > 0 && { label: t.proposeTitle, run: step(() => work.propose(file, proposable)) },
  }
  const others = actions.filter((one) => !['hide', 'warn'].includes(one))
  const settle = (proposalId: string, verdict: 'accept' | 'decline') =>
    verdict === 'accept'
      ? decide(() => work.settle(file, proposalId, verdict))()
      : step(() => work.settle(file, proposalId, verdict))()
  const keys = Object.values(deeds).filter((one) => one && 'key' in one)
  return html`<p class="row">
      <span class="tag">${isOpen ? t.open : t.closed}</span> <span class="tag">${t.priorities[String(file.priority) as '1']}</span>
      <span class="tag">${categoryText(file.category)}</span> ${file.outcome && html`<span class="tag">${t.outcomes[file.outcome]}</span>`}
      <a href=${queueAddress()}>${t.back}</a>
    </p>
    ${file.claimedBy && html`<p role="note">${isMe(file.claimedBy) ? t.yours(timeText(file.claimedUntil)) : t.theirs(nameOf(file.claimedBy), timeText(file.claimedUntil))}</p>`}
    ${isMe(file.person) && html`<p role="note">${t.aboutYou}</p>`}
    <div class="columns">
      <section aria-labelledby="thing">
        <h2 id="thing">${typeText(file.targetType)}</h2>
        <${ThingView} type=${file.targetType} id=${file.targetId} thing=${thing} />
        <${Files} file=${file} />
        <h2>${t.reportsTitle(file.reportCount)}</h2>
        <${Reports} reports=${file.reports} />
      </section>
      <section aria-labelledby="decision">
        <h2 id="decision">${t.decision}</h2>
        <${Deeds} deeds=${[deeds.act, deeds.hide, deeds.warn, deeds.dismiss, deeds.propose, ...others.map((one) => ({ label: texts.value.actions[one], isDangerous: !one.startsWith('un') && one !== 'restore', run: once(one) }))]} />
        <${Deeds} small deeds=${[deeds.claim, deeds.release, deeds.note, deeds.change]} />
        <${Facts}
          facts=${[
            [t.source, t.sources[file.source]],
            [t.rule, file.rule],
            [t.opened, timeText(file.createdAt)],
            [t.closedAt, file.closedAt && timeText(file.closedAt)],
            [t.space, file.spaceId && file.status === 'open' && t.staffFrom(timeText(file.staffFrom))],
          ]}
        />
        ${file.proposals.length > 0 && html`<${Proposals} file=${file} settle=${settle} />`}
        <h2>${t.person}</h2>
        ${
          file.person
            ? html`<p>${personLink(file.personId, file.person)}</p>
                <${Facts}
                  facts=${[
                    [texts.value.people.status, account && statusOf(account)],
                    [texts.value.people.role, account && texts.value.people.roles[account.role]],
                    ...(account ? botFacts(account) : []),
                    [t.strikes, file.strikes],
                    [texts.value.people.joined, account && timeText(account.createdAt)],
                    [texts.value.person.openReports, account?.openReports],
                  ]}
                />
                <p><a href=${`/admin/access?personId=${file.personId}`}>${texts.value.access.whatSees}</a></p>
                <${Decisions} decisions=${file.decisions ?? []} />`
            : html`<p class="quiet">${t.nobody}</p>`
        }
        <h2>${t.history}</h2>
        <${History} history=${file.history} />
        ${
          file.earlierCases.length > 0 &&
          html`<h2>${t.earlier}</h2>
            <ul class="entries">
              ${file.earlierCases.map(
                (one) => html`<li key=${one.id}>
                  <a href=${`/admin/cases/${one.id}`}>${timeText(one.createdAt)}</a> · ${categoryText(one.category)} ·
                  ${one.outcome ? t.outcomes[one.outcome] : t.open}
                </li>`,
              )}
            </ul>`
        }
      </section>
    </div>
    <${Keys} keys=${[...movement, ...keys]} />`
}
