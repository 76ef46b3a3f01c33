import type { ClinicalContextsDeps } from './domain/clinical-contexts.ts'
import type { Endpoints } from './domain/endpoints.ts'
import type { Downloads } from './webhooks/download.ts'
import { acceptAnswer, type Requester, WebhookError } from './webhooks/request.ts'

const EVENT = 'clinical_context.enrichment_requested'

/** How the clinical context of a study is asked for and its documents are fetched: a soft event, so every failure is an empty context. */
export function contextAsking(
  requester: Requester,
  downloads: Downloads,
  endpoints: Pick<Endpoints, 'takerOf' | 'noteRefusedHost'>,
): Pick<ClinicalContextsDeps, 'ask' | 'fetch'> {
  return {
    async ask(question, about) {
      const notes: string[] = []
      const accept = acceptAnswer(EVENT)
      try {
        const answer = await requester.request(EVENT, question, {
          about,
          accept: (reply) =>
            accept({
              ...reply,
              note(path, sentence) {
                notes.push(`${path}: ${sentence}`)
                reply.note(path, sentence)
              },
            }),
        })
        return { state: 'answered', answer, notes }
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error
        const why = error.fault === 'no-endpoint' ? 'no endpoint is asked for it' : error.detail
        return { state: 'failed', answer: {}, notes: [`The partner gave no clinical context: ${why}.`] }
      }
    },
    async fetch(url, { maxBytes }) {
      const taker = endpoints.takerOf(EVENT, null)
      try {
        return await downloads.get(url, { hosts: taker?.fileHosts ?? [], maxBytes })
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error
        if (taker && error.fault === 'forbidden-address') endpoints.noteRefusedHost(taker.endpointId, url)
        return { fault: `It could not be fetched: ${error.detail}.` }
      }
    },
  }
}
