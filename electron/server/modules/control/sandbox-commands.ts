import { z } from 'zod'
import { createTestKey } from '#server/modules/sandbox/sandbox-folder.ts'
import { ApiError } from '#shared/errors.ts'
import { fault } from '#shared/messages/issues.ts'
import { verbatim } from '#shared/messages/message.ts'
import { type DataCommand, parseOptions, type RunningGateway } from './command.ts'
import { ACTOR } from './record-command.ts'

// Commands for administrators of the sandbox. What integrators do is in `electron/cli/sandbox.ts`.

const NewTestKey = z.object({
  description: z.string().trim().min(1, fault('values.empty')).max(200),
})
const Webhook = z.object({
  url: z.string(),
  secret: z.string().optional(),
  plaintext: z.boolean().default(false),
})

export const SANDBOX_COMMANDS: Readonly<Record<string, DataCommand>> = {
  'sandbox key': {
    usage: '--description TEXT',
    about: 'create a test key, print it once, and switch on the sandbox',
    options: {
      description: {
        type: 'string',
        takes: 'TEXT',
        isRequired: true,
        about: 'Who uses the key, as the list of keys shows it.',
      },
    },
    async run(context, { options }, gateway) {
      const { description } = parseOptions(NewTestKey, options)
      if (!gateway) return createTestKey(context, description, ACTOR)
      return (await sandboxOf(gateway).createKey(description, ACTOR)).key
    },
  },
  'sandbox webhook': {
    usage: '--url URL [--secret FILE] [--plaintext]',
    about:
      'set the address to which the events of the sandbox are sent, and print the signing secret if one was generated',
    options: {
      url: {
        type: 'string',
        takes: 'URL',
        isRequired: true,
        about: 'Address of the partner’s test system.',
      },
      secret: {
        type: 'string',
        takes: 'FILE',
        isFile: true,
        about: 'File with the secret that events are signed with: whsec_ and base64.',
      },
      plaintext: { type: 'boolean', about: 'Allow http and a private address.' },
    },
    run(_context, { options }, gateway) {
      const { url, plaintext, secret } = parseOptions(Webhook, options)
      const made = sandboxOf(gateway).setWebhook(url, { secret, allowPlaintext: plaintext }, ACTOR)
      return made ?? `Events of the sandbox are sent to ${url}.`
    },
  },
  'sandbox empty': {
    usage: '',
    about: 'delete all test data; the keys and the webhook are kept',
    options: {},
    async run(_context, _request, gateway) {
      await sandboxOf(gateway).empty(ACTOR)
      return 'The sandbox is empty.'
    },
  },
}

/** @throws ApiError refused: no gateway is running */
function sandboxOf(gateway: RunningGateway | undefined) {
  if (gateway?.sandbox) return gateway.sandbox
  throw new ApiError(
    'refused',
    verbatim('This needs the running gateway: start it with “isthmus serve”.'),
  )
}
