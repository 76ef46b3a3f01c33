import { type MessageCode, type MessageParams, message } from '#shared/messages/message.ts'
import { said } from './said.ts'

/** Codes of the texts of the window itself. */
export type TextCode = Extract<MessageCode, `ui.${string}`>

/** A text of the window in the language of the page. */
export const t = (code: TextCode, params?: MessageParams): string => said(message(code, params))
