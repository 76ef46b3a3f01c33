import type { Context } from '#server/context.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { RefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { endpointTaking } from '#server/modules/partners/targets.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { acceptAnswer, type Requester, WebhookError } from '#server/webhooks/request.ts'
import type { EventResponse } from '#shared/contract/webhooks.ts'
import type { ClinicalContextsDeps } from './clinical-contexts.ts'

const EVENT = 'clinical_context.enrichment_requested'

/**
 * How the clinical context of a study is asked for and its documents are fetched: a soft event, so
 * every failure is an empty context. Both reject with the reason of `closing`: what nobody waited
 * for is not kept as a failure.
 */
export function contextAsking(
  { database }: Context,
  requester: Requester,
  downloads: Downloads,
  refusedHosts: RefusedHosts,
  eventLog: Pick<EventLog, 'setEffect'>,
  closing: AbortSignal,
): Pick<ClinicalContextsDeps, 'ask' | 'fetch'> {
  return {
    async ask(question, about) {
      const notes: string[] = []
      const accept = acceptAnswer(EVENT)
      let eventId = ''
      try {
        const answer = await requester.request(EVENT, question, {
          ...{ about, signal: closing },
          accept(reply) {
            eventId = reply.webhookId
            return accept({
              ...reply,
              note(path, sentence) {
                notes.push(`${path}: ${sentence}`)
                reply.note(path, sentence)
              },
            })
          },
        })
        eventLog.setEffect(eventId, effectOf(answer))
        return { state: 'answered', answer, notes }
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error
        const why = error.fault === 'no-endpoint' ? 'no endpoint is asked for it' : error.detail
        return {
          state: 'failed',
          answer: {},
          notes: [`The partner gave no clinical context: ${why}.`],
        }
      }
    },
    async fetch(url, { maxBytes }) {
      const taker = endpointTaking(database, EVENT, null)
      try {
        return await downloads.get(url, {
          hosts: taker?.fileHosts ?? [],
          maxBytes,
          signal: closing,
        })
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error
        if (taker && error.fault === 'forbidden-address') refusedHosts.note(taker.endpointId, url)
        return { fault: `It could not be fetched: ${error.detail}.` }
      }
    },
  }
}

/** What of the answer is kept with the study, counted: what it says is about a patient. */
function effectOf(answer: EventResponse<typeof EVENT>): string {
  const {
    clinicalIndication = '',
    technologistTechnique = '',
    technologistNotes = [],
    priorReports = [],
  } = answer
  const parts = [
    ...(clinicalIndication.trim() === '' ? [] : ['the indication']),
    ...(technologistTechnique.trim() === '' ? [] : ['the technique']),
    ...counted(technologistNotes.length, 'note'),
    ...counted((answer.documents?.length ?? 0) + (answer.documentUrls?.length ?? 0), 'document'),
    ...counted(priorReports.length, 'prior report'),
  ]
  return parts.length === 0
    ? 'It added nothing to the study.'
    : `Kept with the study: ${parts.join(', ')}.`
}

const counted = (count: number, what: string) =>
  count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`]
