// The admin panel at /admin.
import { Notices } from '../lib/errors.ts'
import { html, render } from '../lib/html.ts'
import { startRouter } from '../lib/router.ts'
import { Login } from './login.ts'
import { me } from './session.ts'
import { Shell } from './shell.ts'

const Panel = () => html`${me.value ? html`<${Shell} />` : html`<${Login} />`}<${Notices} />`

startRouter('/admin')
render(html`<${Panel} />`, document.body)
