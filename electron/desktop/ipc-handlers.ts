import { app, ipcMain } from 'electron'
import { z } from 'zod'
import type { Autostart } from './autostart.ts'
import type { GatewayProcess } from './gateway-process.ts'
import type { KeyStore } from './key-store.ts'
import type { Actions } from './menu.ts'
import type { Updates } from './updates.ts'
import { hasOrigin } from './window.ts'

/** Handles one IPC message of the page; its arguments are unvalidated. */
type Handler = (given: readonly unknown[]) => unknown

/** Wraps a handler with validation of its arguments. */
export const withValidation =
  <A extends readonly unknown[]>(form: z.ZodType<A>, reply: (...given: A) => unknown): Handler =>
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
export function registerIpcHandlers(
  origin: () => string | undefined,
  handlers: Readonly<Record<string, Handler>>,
): void {
  for (const [name, answer] of Object.entries(handlers)) {
    ipcMain.handle(name, (event, ...given: unknown[]) => {
      const ownOrigin = origin()
      const frame = event.senderFrame
      if (ownOrigin === undefined || !frame || frame.parent || !hasOrigin(ownOrigin, frame.url))
        throw new Error('not for this page')
      return answer(given)
    })
  }
}

const NO_ARGUMENTS = z.tuple([])

/** The handlers of all IPC messages (`preload.ts`), by name. */
export const ipcHandlers = (
  gateway: GatewayProcess,
  autostart: Autostart,
  keys: KeyStore,
  updates: Updates,
  actions: Actions,
): Readonly<Record<string, Handler>> => ({
  version: withValidation(NO_ARGUMENTS, () => app.getVersion()),
  'open-data-folder': withValidation(NO_ARGUMENTS, () => actions.openDataFolder()),
  'restart-gateway': withValidation(NO_ARGUMENTS, () => gateway.restart()),
  desktop: withValidation(NO_ARGUMENTS, () => ({
    isAutostart: autostart.isOn(),
    keyStore: keys.state(),
    update: updates.state(),
  })),
  'set-autostart': withValidation(z.tuple([z.boolean()]), (on) => autostart.set(on)),
  'check-for-update': withValidation(NO_ARGUMENTS, () => updates.check()),
  'install-update': withValidation(NO_ARGUMENTS, async () => {
    await updates.install()
    const { state, sentence } = updates.state()
    return state === 'installing' ? null : sentence
  }),
})
