// How an operation is asked, and what is expected of it: the parts that the registry is made of.
import type { Operation } from '../../../api-facade/lib/call.ts'
import { postId, replyId, seriesId } from './build.ts'
import { at, sees, seesReply, seesSeries, type World } from './model.ts'

export type Question = {
  /** The call as SQL. `$1` in it is a cursor: it is then walked page by page, and what is read has all the items. */
  call: string
  /** What is looked at of an answer. */
  read(answer: never): unknown
  expected: unknown
}
/** Makes the question of what stands at a place. */
export type Ask = (world: World, viewer: number, place: number) => Question
/** Makes questions that name nothing. */
type AskAll = (world: World, viewer: number) => Question[]

/** How one operation is asked: of each post, reply or series in turn, and for what it lists. */
export type Entry = { posts?: Ask[]; replies?: Ask[]; series?: Ask[]; lists?: AskAll }
export type Entries = { [O in Operation]?: Entry }

export const refused = (code: string) => ({ refused: code })
export const done = 'done'

type Call = (id: string, world: World, place: number) => string
type Outcome = (world: World, viewer: number, place: number) => unknown
const always = () => done
const readNothing = () => done

/** Of a post: what is not seen answers as what there is not. */
export const ofPost =
  (call: Call, outcome: Outcome = always, read: Question['read'] = readNothing): Ask =>
  (world, viewer, place) => ({
    call: call(`'${postId(place)}'`, world, place),
    read,
    expected: sees(world, viewer, place) ? outcome(world, viewer, place) : refused('post_unknown'),
  })

/** @param below the call names the reply's post too, which is looked at first */
export const ofReply =
  (call: Call, outcome: Outcome = always, read: Question['read'] = readNothing, below = false): Ask =>
  (world, viewer, place) => {
    const hidden = below && !sees(world, viewer, at(world.replies, place).post)
    const unknown = refused(hidden ? 'post_unknown' : 'reply_unknown')
    return {
      call: call(`'${replyId(place)}'`, world, place),
      read,
      expected: seesReply(world, viewer, place) ? outcome(world, viewer, place) : unknown,
    }
  }

export const ofSeries =
  (call: Call, outcome: Outcome = always, read: Question['read'] = readNothing): Ask =>
  (world, viewer, place) => ({
    call: call(`'${seriesId(place)}'`, world, place),
    read,
    expected: seesSeries(world, viewer, place) ? outcome(world, viewer, place) : refused('series_unknown'),
  })
