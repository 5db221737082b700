// node test/attacks/spoofed-names.ts counts the names and texts that are accepted over HTTP and .rpc() although they
// are invisible, change the direction of writing, or use a reserved name. It also tests whether ordinary texts are
// accepted. It starts its own instance.
import { type Answer, onFresh, say } from '../support/fresh.ts'

const invisible = [
  '\u200b',
  '\u200d\u200d',
  '\u00ad',
  '\u2060',
  '\u3164',
  '\u115f',
  '\u17b4',
  '\u180e',
  '\u2800',
  '\ufeff',
  '\ufe0f',
  '\u{e0041}',
  '\u{e0100}',
  '\u00a0',
  '\u034f',
]
const turned = ['\u202a', '\u202b', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068'].map((sign) => `a${sign}nimda`)
const controls = ['\u0001', '\u0007', '\u001b[2J', '\u007f', '\u0085', '\u009b', '\u2028', '\u2029'].map(
  (c) => `a${c}b`,
)
const offices = [
  'admin',
  'ADMIN',
  'ad_min',
  '_admin_',
  'support',
  'Moderator',
  'kith',
  'kith_team',
  'root',
  'no_reply',
  'admın',
  'аdmin',
  'adm1n',
  'admin1',
  'the_admin',
  'kith_admins',
  'supp0rt',
  'real_support',
]
const honest = ['Zoë', '例子', 'Nguyễn', '👩‍👩‍👧‍👦', '🏳️‍🌈', 'محمد', 'O’Brien', 'می‌خواهم', 'Ange\u0301lique']

await onFresh(
  async ({ ask, rpc, join }) => {
    const { token, username } = await join('guise')
    const doors: Record<string, (text: string) => Promise<Answer>> = {
      'as a name': (text) => ask('PATCH', '/api/v1/me', { firstName: text }, token),
      'as a name by rpc': (text) => rpc('update_me', { p_changes: { firstName: text } }, token),
      'as a text': (text) => ask('POST', '/api/v1/posts', { body: text }, token),
      'as a title by rpc': (text) =>
        rpc('create_post', { p_body: 'An essay.', p_format: 'essay', p_title: text }, token),
    }
    const name = async (text: string) => {
      const answer = await ask('PATCH', '/api/v1/me', { username: text }, token)
      await ask('PATCH', '/api/v1/me', { username }, token) // the name is undone, because a person can choose few names
      return answer
    }

    async function attempt(what: string, texts: string[], door: (text: string) => Promise<Answer>): Promise<void> {
      const through: string[] = []
      const broken: string[] = []
      for (const text of texts) {
        const { status } = await door(text)
        if (status < 300) through.push(text)
        if (status === 429 || status >= 500) broken.push(`${JSON.stringify(text)} ${status}`)
      }
      const shown = through.map((text) => text.replace(/[^ -~]/gu, (c) => `<${c.codePointAt(0)?.toString(16)}>`))
      const list = through.length > 0 && through.length < texts.length ? `: ${shown.join(', ')}` : ''
      say(`${what}: ${through.length} of ${texts.length}${list}${broken.length ? `; NOT TRIED: ${broken}` : ''}`)
    }

    for (const [where, door] of Object.entries(doors)) {
      await attempt(`invisible ${where}`, invisible, door)
      await attempt(`with a change of direction ${where}`, turned, door)
      await attempt(`with a control character ${where}`, controls, door)
      await attempt(`honest ${where}`, honest, door)
    }
    await attempt('reserved usernames', offices, name)
  },
  { RATE_LIMIT_SCALE: '1000' },
)
