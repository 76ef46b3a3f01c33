import { app, ipcMain } from 'electron'
import { z } from 'zod'
import type { Autostart } from './autostart.ts'
import type { GatewayProcess } from './gateway-process.ts'
import type { KeyStore } from './key-store.ts'
import type { Actions } from './menu.ts'
import type { Updates } from './updates.ts'
import { isOf } from './window.ts'

/** Handles one IPC message of the page; its arguments are unvalidated. */
type Channel = (given: readonly unknown[]) => unknown

/** Wraps a handler with validation of its arguments. */
export const channel =
  <A extends readonly unknown[]>(form: z.ZodType<A>, reply: (...given: A) => unknown): Channel =>
  (given) => {
    const parsed = form.safeParse(given)
    if (!parsed.success) throw new Error('not understood')
    return reply(...parsed.data)
  }

/**
 * Registers the only IPC handler. It answers messages from the main frame of the gateway's own page
 * and refuses all others (Electron security checklist 17).
 * @param origin origin of the gateway; undefined until it has started
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

const NOTHING = z.tuple([])

/** The handlers of all IPC messages (`preload.ts`), by name. */
export const pageAnswers = (
  gateway: GatewayProcess,
  autostart: Autostart,
  keys: KeyStore,
  updates: Updates,
  actions: Actions,
): Readonly<Record<string, Channel>> => ({
  version: channel(NOTHING, () => app.getVersion()),
  'open-data-folder': channel(NOTHING, () => actions.openDataFolder()),
  'restart-gateway': channel(NOTHING, () => gateway.restart()),
  desktop: channel(NOTHING, () => ({
    isAutostart: autostart.isOn(),
    keyStore: keys.state(),
    update: updates.state(),
  })),
  'set-autostart': channel(z.tuple([z.boolean()]), (on) => autostart.set(on)),
  'check-for-update': channel(NOTHING, () => updates.check()),
  'install-update': channel(NOTHING, async () => {
    await updates.install()
    const { state, sentence } = updates.state()
    return state === 'installing' ? null : sentence
  }),
})
