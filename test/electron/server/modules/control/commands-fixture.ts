import { openContext } from '#server/context.ts'
import { runCommand } from '#server/modules/control/commands.ts'
import { ControlRequest } from '#server/modules/control/control.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'

/** Runs commands on one opened folder. */
export function openFolder() {
  const temp = tempDataFolder()
  const context = openContext({ folder: temp.folder })
  return {
    context,
    run: (command: string, request: Partial<ControlRequest> = {}) =>
      runCommand(context, ControlRequest.parse({ command, ...request }), undefined, '1.2.3'),
    [Symbol.dispose]() {
      context[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}
