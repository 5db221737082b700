// Writing a post. The draft stays in memory until it is published, even if the person leaves the page or the session
// ends.
import type { Schema } from 'kith/client'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { effect, html, signal, useSignal, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { go, query } from '../../lib/router.ts'
import { optionsOf, timeText } from '../../lib/texts.ts'
import { addressOfPost, type Post, PostCard } from '../card.ts'
import { kith, me } from '../session.ts'
import { texts } from '../texts.ts'

type NewPost = Schema<'NewPost'>
type Audience = NonNullable<NewPost['visibility']>
/** A file of the draft. It is uploaded once, even if the post could not be published the first time. */
type Picture = { id: string; file: File; shown: string; alt: string; assetId?: string }
type Draft = {
  format: 'note' | 'essay'
  title: string
  body: string
  visibility: Audience
  interests: string[]
  depth: number
  options: string[]
  pictures: Picture[]
  publishAt: string
}
const nothing: Draft = {
  format: 'note',
  title: '',
  body: '',
  visibility: 'public',
  interests: [],
  depth: 0,
  options: [],
  pictures: [],
  publishAt: '',
}
const draft = signal<Draft>(nothing)
/** The owner of the draft: another person who logs in does not get it. */
let owner: string | undefined
effect(() => {
  const id = me.value?.id
  if (!id || id === owner) return
  owner = id
  draft.value = nothing
})

/** The largest number of interests of a post, and the largest and smallest number of options of a poll. */
const INTERESTS = 5
const OPTIONS = 6
/** The largest number of pictures of a post. */
const PICTURES = 10
const FEWEST = 2

const set = (changes: Partial<Draft>) => {
  draft.value = { ...draft.value, ...changes }
}
const typed = (event: Event): string => (event.target as HTMLInputElement).value

function Poll(): VNode {
  const t = texts.value.write
  const { options } = draft.value
  const change = (at: number, text: string) => set({ options: options.with(at, text) })
  if (options.length === 0)
    return html`<button type="button" class="secondary small" onClick=${() => set({ options: ['', ''] })}>${t.addPoll}</button>` as VNode
  return html`<fieldset class="choices">
    <legend>${t.poll}</legend>
    ${options.map(
      (text, at) => html`<label key=${at}>
        ${t.option(at + 1)}
        <input maxlength="80" value=${text} required onInput=${(event: Event) => change(at, typed(event))} />
      </label>`,
    )}
    <div class="buttons">
      ${
        options.length < OPTIONS &&
        html`<button type="button" class="secondary small" onClick=${() => set({ options: [...options, ''] })}>${t.addOption}</button>`
      }
      ${
        options.length > FEWEST &&
        html`<button type="button" class="secondary small" onClick=${() => set({ options: options.slice(0, -1) })}>${t.lessOption}</button>`
      }
      <button type="button" class="secondary small" onClick=${() => set({ options: [] })}>${t.noPoll}</button>
    </div>
  </fieldset>` as VNode
}

/** The interests of the post, of those that the person has chosen. The first is the primary one. */
function Interests(): VNode {
  const t = texts.value.write
  const mine = useLoad(() => kith.get('/me/interests'), [])
  const { interests } = draft.value
  const items = mine.data.value?.items ?? []
  const choose = (id: string, isOn: boolean) =>
    set({ interests: isOn ? [...interests, id].slice(0, INTERESTS) : interests.filter((one) => one !== id) })
  if (mine.error.value) return html`<${ErrorNote} error=${mine.error.value} />` as VNode
  if (mine.data.value && items.length === 0)
    return html`<p class="quiet">${t.noInterests} <a href="/app/interests">${t.chooseInterests}</a></p>` as VNode
  return html`<fieldset class="choices">
    <legend>${t.interests}</legend>
    ${items.map(({ interestId, name }) => {
      const at = interests.indexOf(interestId)
      return html`<label key=${interestId}>
        <input
          type="checkbox"
          checked=${at >= 0}
          disabled=${at < 0 && interests.length >= INTERESTS}
          onChange=${(event: Event) => choose(interestId, (event.target as HTMLInputElement).checked)}
        />
        ${name} ${at === 0 && html`<span class="tag">${t.primary}</span>`}
      </label>`
    })}
  </fieldset>` as VNode
}

function Pictures(): VNode {
  const t = texts.value.write
  const { pictures } = draft.value
  const add = (event: Event) => {
    const input = event.target as HTMLInputElement
    const added = [...(input.files ?? [])].map((file) => ({
      id: crypto.randomUUID(),
      file,
      shown: URL.createObjectURL(file),
      alt: '',
    }))
    input.value = ''
    set({ pictures: [...pictures, ...added].slice(0, PICTURES) })
  }
  const describe = (id: string, alt: string) =>
    set({ pictures: pictures.map((one) => (one.id === id ? { ...one, alt } : one)) })
  const remove = (id: string) => set({ pictures: pictures.filter((one) => one.id !== id) })
  return html`<fieldset class="pictures">
    <legend>${t.pictures}</legend>
    ${pictures.map(
      ({ id, file, shown, alt }) => html`<div key=${id} class="row">
        <img src=${shown} alt="" />
        <label>
          ${t.alt(file.name)}
          <input maxlength="1000" value=${alt} placeholder=${t.altHint} onInput=${(event: Event) => describe(id, typed(event))} />
        </label>
        <button type="button" class="secondary small" aria-label=${`${t.noPicture}: ${file.name}`} onClick=${() => remove(id)}>${t.noPicture}</button>
      </div>`,
    )}
    ${
      pictures.length < PICTURES &&
      html`<label role="presentation" class="file-button">
        ${t.addPicture}
        <input type="file" multiple class="hidden-label" accept="image/jpeg,image/png,image/webp,image/gif,image/avif" onChange=${add} />
      </label>`
    }
  </fieldset>` as VNode
}

/** Uploads the pictures that were not uploaded yet. */
async function uploaded(pictures: Picture[]): Promise<NewPost['media']> {
  const media: { assetId: string; alt: string }[] = []
  for (const one of pictures) {
    one.assetId ??= (await kith.upload(one.file, 'image')).assetId
    media.push({ assetId: one.assetId, alt: one.alt.trim() })
  }
  return media
}

/** The draft as the API accepts it. */
function bodyOf(now: Draft, quotedPostId: string | null): NewPost {
  const [interestId, ...interestIds] = now.interests
  return {
    ...(quotedPostId ? { format: 'quote', quotedPostId } : { format: now.format }),
    ...(now.format === 'essay' && !quotedPostId && { title: now.title.trim() }),
    body: now.body,
    visibility: now.visibility,
    depth: now.depth,
    ...(interestId && { interestId, interestIds }),
    ...(now.options.length > 0 && { poll: { options: now.options.map((text) => text.trim()) } }),
    ...(now.publishAt && { publishAt: new Date(now.publishAt).toISOString() }),
  }
}

export function Write(): VNode {
  const t = texts.value.write
  const quotedId = query.value.get('quote')
  const quoted = useLoad<Post | undefined>(
    async () => (quotedId ? kith.get('/posts/{id}', { params: { path: { id: quotedId } } }) : undefined),
    [quotedId],
  )
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const now = draft.value
  const isEssay = now.format === 'essay' && !quotedId
  const publish = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    error.value = undefined
    try {
      const post = await kith.post('/posts', {
        body: { ...bodyOf(now, quotedId), media: await uploaded(now.pictures) },
      })
      for (const { shown } of now.pictures) URL.revokeObjectURL(shown)
      draft.value = nothing
      notify(post.publishedAt ? t.done : t.scheduled(timeText(post.publishAt)))
      go(post.publishedAt ? addressOfPost(post.id) : '/app/scheduled')
    } catch (failure) {
      error.value = failure
    }
    isBusy.value = false
  }
  const postTexts = texts.value.post
  return html`<form class="write" onSubmit=${publish}>
    ${
      !quotedId &&
      html`<label>
        ${t.format}
        <select value=${now.format} onChange=${(event: Event) => set({ format: typed(event) as Draft['format'] })}>
          ${optionsOf(t.formats).map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
        </select>
      </label>`
    }
    ${
      isEssay &&
      html`<label>${postTexts.titleOf}
        <input maxlength="200" required value=${now.title} onInput=${(event: Event) => set({ title: typed(event) })} />
      </label>`
    }
    <label>
      ${postTexts.words}
      <textarea
        rows=${isEssay ? 14 : 6}
        maxlength=${isEssay ? 100_000 : 5000}
        required
        value=${now.body}
        onInput=${(event: Event) => set({ body: typed(event) })}
      ></textarea>
    </label>
    ${quotedId && html`<${ErrorNote} error=${quoted.error.value} />${quoted.data.value && html`<div class="quoted" inert><${PostCard} post=${quoted.data.value} /></div>`}`}
    <div class="columns">
      <label>
        ${postTexts.audience}
        <select value=${now.visibility} onChange=${(event: Event) => set({ visibility: typed(event) as Audience })}>
          ${optionsOf(postTexts.audiences).map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
        </select>
      </label>
      <label>
        ${t.depth}
        <select value=${String(now.depth)} onChange=${(event: Event) => set({ depth: Number(typed(event)) })}>
          ${postTexts.depths.map((label, depth) => html`<option value=${String(depth)}>${label}</option>`)}
        </select>
      </label>
    </div>
    <${Interests} />
    <${Pictures} />
    <${Poll} />
    <label>
      ${t.publishAt}
      <input type="datetime-local" value=${now.publishAt} onInput=${(event: Event) => set({ publishAt: typed(event) })} />
      <small class="quiet">${t.publishAtHint} <a href="/app/scheduled">${texts.value.scheduled.title}</a></small>
    </label>
    <${ErrorNote} error=${error.value} />
    <div class="buttons">
      <button aria-busy=${isBusy.value} aria-disabled=${isBusy.value}>${now.publishAt ? t.schedule : t.publish}</button>
      ${now !== nothing && html`<button type="button" class="secondary" onClick=${() => set(nothing)}>${t.clear}</button>`}
    </div>
  </form>` as VNode
}
