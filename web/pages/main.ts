// The pages for people, which mail and invitations lead to. They need no app.
import { Notices } from '../lib/errors.ts'
import { html, render } from '../lib/html.ts'
import { Frame } from './frame.ts'

render(html`<${Frame} /><${Notices} />`, document.body)
