import { among, type Case, post, read } from '../case.ts'

export const cases = (): Case[] =>
  among(
    ['videos'],
    [
      read('videos', 2, 'list_videos', '/videos'),
      read('video-comments', 2, 'list_video_comments', `/videos/${post(1)}/comments`, { p_id: post(1) }),
    ],
  )
