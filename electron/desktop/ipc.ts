import { ipcMain } from 'electron'
import type { z } from 'zod'
import { isOf } from './origin.ts'

/** Answers one message of the page; its arguments are not looked at yet. */
export type Channel = (given: readonly unknown[]) => unknown

/** A message with arguments of a known form. */
export const channel =
  <A extends readonly unknown[]>(form: z.ZodType<A>, reply: (...given: A) => unknown): Channel =>
  (given) => {
    const parsed = form.safeParse(given)
    if (!parsed.success) throw new Error('not understood')
    return reply(...parsed.data)
  }

/**
 * The only place that hears messages: each is answered where the main frame of our own page sent
 * it, and nobody else (Electron security checklist 17).
 * @param origin of the gateway; undefined until it has started
 */
export function answerPage(
  origin: () => string | undefined,
  channels: Readonly<Record<string, Channel>>,
): void {
  for (const [name, answer] of Object.entries(channels)) {
    ipcMain.handle(name, (event, ...given: unknown[]) => {
      const own = origin()
      const frame = event.senderFrame
      if (own === undefined || !frame || frame.parent || !isOf(own, frame.url))
        throw new Error('not for this page')
      return answer(given)
    })
  }
}
