// The posts that somebody follows, or that suit their interests.
export const Feed = () => null
