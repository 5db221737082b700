// The peer's persisted operations. A mutation returns only fields that its caller can't know, because every field from
// another table costs another transaction. So it omits that the caller is the author and has not reacted yet.
const author = 'author: userByAuthorId { id: rowId username firstName lastName profilePicUrl }'
const own = 'id: rowId body audience depth publishedAt reactionCount commentCount'
const card = `${own} ${author} viewer: reactionsByPostIdList { kind }`

export const documents = {
  everybody: 'query Everybody { viewerId }',
  home: `query Home($after: Cursor) {
    posts: allPosts(first: 20, after: $after, orderBy: [PUBLISHED_AT_DESC, ROW_ID_DESC]) {
      nodes { ${card} }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  detail: `query Detail($post: UUID!) {
    post: postByRowId(rowId: $post) {
      ${card}
      comments: commentsByPostId(first: 20, orderBy: [CREATED_AT_ASC, ROW_ID_ASC]) {
        nodes { id: rowId body createdAt ${author} }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`,
  create: `mutation Create($author: UUID!, $body: String!, $audience: Audience) {
    create: createPost(input: { post: { authorId: $author, body: $body, audience: $audience } }) { post { ${own} } }
  }`,
  react: `mutation React($post: UUID!, $kind: String!) {
    react(input: { postId: $post, kind: $kind }) { counts: result { reactionCount commentCount viewer } }
  }`,
  block: `mutation Block($blocker: UUID!, $blocked: UUID!) {
    createBlock(input: { block: { blockerId: $blocker, blockedId: $blocked } }) { clientMutationId }
  }`,
} as const

export type Operation = keyof typeof documents
