import { textsOf } from '../lib/texts.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

export type Texts = typeof en
export const texts = textsOf({ en, de })
