// How an operation is called, and what it must return: the building blocks of the registry.
import type { Operation } from '../../../api-facade/lib/call.ts'
import { postId, replyId, seriesId } from './build.ts'
import { at, sees, seesReply, seesSeries, type World } from './model.ts'

export type Question = {
  /** The call as SQL. With `$1` for a cursor the list is read page by page, and `read` gets all the items. */
  call: string
  /** The part of an answer that is compared. */
  read(answer: never): unknown
  expected: unknown
}
/** Makes the call about the thing with this index. */
export type Ask = (world: World, viewer: number, place: number) => Question
/** Makes calls that name no thing. */
type AskAll = (world: World, viewer: number) => Question[]

/** The calls of one operation: for each post, reply or series in turn, or for its list. */
export type Entry = { posts?: Ask[]; replies?: Ask[]; series?: Ask[]; lists?: AskAll }
export type Entries = { [O in Operation]?: Entry }

export const refused = (code: string) => ({ refused: code })
export const done = 'done'

type Call = (id: string, world: World, place: number) => string
type Outcome = (world: World, viewer: number, place: number) => unknown
const always = () => done
const readNothing = () => done

/** A call about a post: for an invisible post the answer is that of an unknown one. */
export const ofPost =
  (call: Call, outcome: Outcome = always, read: Question['read'] = readNothing): Ask =>
  (world, viewer, place) => ({
    call: call(`'${postId(place)}'`, world, place),
    read,
    expected: sees(world, viewer, place) ? outcome(world, viewer, place) : refused('post_unknown'),
  })

/** @param below the call also names the reply's post, which is checked first */
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
