import { Operations } from './generated/operations.gen.ts'
import { type ClientOptions, Transport } from './transport.ts'

/** The interface of a gateway: `isthmus.viewer.create(…)`, `for await (… of isthmus.express.list())`. */
export class Isthmus extends Operations {
  constructor(options: ClientOptions) {
    super(new Transport(options))
  }
}

export { NoAnswerError, ProblemError, WebhookVerificationError } from './errors.ts'
export * from './generated/types.gen.ts'
export { Pages } from './pages.ts'
export type { Attempt, CallOptions, ClientOptions } from './transport.ts'
export {
  type EventAnswer,
  type EventData,
  type EventHandlers,
  type EventType,
  type ReceiverOptions,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
  WebhookReceiver,
  type WebhookReply,
  Webhooks,
} from './webhooks.ts'
