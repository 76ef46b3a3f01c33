import { replyOf } from '#server/modules/control/commands.ts'
import { ControlRequest } from '#server/modules/control/control.ts'
import { openParts } from '#server/parts.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'

export const CONTEXT = { origin: 'http://gateway.example', listening: undefined }

/** Runs commands on one opened folder. */
export function openFolder() {
  const temp = tempDataFolder()
  const parts = openParts(temp.folder)
  return {
    parts,
    run: (command: string, request: Partial<ControlRequest> = {}) =>
      replyOf(parts, ControlRequest.parse({ command, ...request }), CONTEXT),
    [Symbol.dispose]() {
      parts[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}
