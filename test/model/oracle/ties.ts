// The acts of a story that change the relations between people.
import { nobody, type Performer } from './happenings.ts'
import { at, meets, names, quarrelled } from './model.ts'

const circle = '(select id from app.circles where owner_id = app.uid())'

export const ties: Record<'block' | 'ban' | 'suspend' | 'limit' | 'join' | 'leave', Performer> = {
  block: (world, { by, other }) => {
    const mine = world.blocks.some((block) => block.by === by && block.whom === other)
    const may = by !== other && (mine || meets(world, by, other))
    if (may) world.blocks.push({ by, whom: other, lifted: false })
    const apart = (one: number, whom: number) => quarrelled(world, one, whom)
    world.seriesFollows = world.seriesFollows.filter(([who, which]) => !apart(who, which))
    world.coAuthors = world.coAuthors.filter(
      ({ post, person, accepted }) => accepted || !apart(person, at(world.posts, post).author),
    )
    return { by, call: () => `api.block_person('${at(names, other)}')`, may, ...nobody }
  },
  ban: (world, { by }) => {
    world.banned.push(by)
    return { by: null, call: () => `oracle.ban('${at(names, by)}')`, may: true, ...nobody }
  },
  suspend: (world, { by }) => {
    world.suspended.push(by)
    return { by: null, call: () => `oracle.suspend('${at(names, by)}')`, may: true, ...nobody }
  },
  limit: (world, { by }) => {
    world.limited.push(by)
    return { by: null, call: () => `oracle.limit('${at(names, by)}')`, may: true, ...nobody }
  },
  join: (world, { by, other, visibility }) => {
    const { members } = at(world.circles, by)
    const close = visibility === 'inner'
    const may = by !== other && meets(world, by, other) && members.every(({ person }) => person !== other)
    if (may) members.push({ person: other, close, left: false })
    const bond = close ? 'inner-circle' : 'acquaintance'
    return { by, call: () => `api.add_circle_member(${circle}, '${at(names, other)}', '${bond}')`, may, ...nobody }
  },
  leave: (world, { by, other }) => {
    const own = at(world.circles, by)
    const may = meets(world, by, other) && own.members.some(({ person, left }) => person === other && !left)
    if (may) own.members = own.members.filter(({ person }) => person !== other)
    return { by, call: () => `api.remove_circle_member(${circle}, '${at(names, other)}')`, may, ...nobody }
  },
}
