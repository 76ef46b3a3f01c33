import { randomUUID } from 'node:crypto'
import type { Parts } from '#server/parts.ts'
import type { CommandContext } from './command.ts'
import { replyOf } from './commands.ts'
import type { ControlReply, ControlRequest } from './control.ts'

/**
 * What the running gateway answers at its control socket. A fault of ours is told by the reference
 * that the log has it under.
 */
export const controlAnswers =
  (
    parts: Parts,
    context: () => CommandContext,
    report: (reference: string, error: unknown) => void,
  ) =>
  (request: ControlRequest): Promise<ControlReply> =>
    replyOf(parts, request, context()).catch((error: unknown) => {
      const reference = randomUUID().slice(0, 8)
      report(reference, error)
      return {
        ok: false,
        output: `The gateway has an internal error, reference ${reference}; its log has the same.`,
      }
    })
