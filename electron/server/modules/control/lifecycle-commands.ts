import type { Context } from '#server/context.ts'
import { DiskSpace } from '#server/modules/images/disk-space.ts'
import { Lifecycle } from '#server/modules/lifecycle/lifecycle.ts'
import { previewOf } from '#server/modules/lifecycle/preview.ts'
import { listRules } from '#server/modules/lifecycle/rule-queries.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import type { DataCommand } from './command.ts'
import { ACTOR, formatTable, requireNoArguments } from './record-command.ts'

/** Commands for the lifecycle of images. A rule can only be switched on in the window. */
export const LIFECYCLE_COMMANDS: Readonly<Record<string, DataCommand>> = {
  'lifecycle preview': {
    usage: '',
    about:
      'print what each lifecycle rule would remove from this PC now, and what it keeps and why',
    options: {},
    async run(context, { arguments: words }) {
      requireNoArguments('lifecycle preview', words)
      const isLow = ['low', 'full'].includes(new DiskSpace(context).storage().state)
      const rows: string[][] = []
      for (const rule of listRules(context.database)) {
        const { remove, notDue, kept } = await previewOf(context, rule, isLow)
        const row = (what: string, studies: number, bytes: number) =>
          rows.push([rule.name, rule.isOn ? 'on' : 'off', what, String(studies), String(bytes)])
        row('removed', remove.studies, remove.bytes)
        row('too young', notDue.studies, notDue.bytes)
        for (const { reason, studies, bytes } of kept) row(`kept: ${reason}`, studies, bytes)
      }
      return formatTable(['RULE', 'STATE', 'STUDIES', 'COUNT', 'BYTES'], rows)
    },
  },
  'lifecycle run': {
    usage: '',
    about: 'run the enabled lifecycle rules now, as the gateway does every hour',
    options: {},
    async run(context, { arguments: words }, gateway) {
      requireNoArguments('lifecycle run', words)
      const { studies } = gateway
        ? await gateway.lifecycle.runNow(ACTOR)
        : await runWithoutGateway(context)
      return englishText(message('lifecycle.removed', { studies }))
    },
  },
}

async function runWithoutGateway(context: Context) {
  await using lifecycle = new Lifecycle(context, new DiskSpace(context), undefined)
  return await lifecycle.runNow(ACTOR)
}
