import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { DestinationRecord } from './destination-queries.ts'
import type { WorkerNews } from './worker.ts'

/** A line for the live feed, without anything about a patient. */
export type News = Pick<
  FeedLine,
  'kind' | 'tone' | 'text' | 'aeTitle' | 'address' | 'associationId' | 'studyInstanceUid'
>

/** What became of a queue, as a line for the feed. */
export function newsLine({ name, aeTitle, host }: DestinationRecord, news: WorkerNews): News {
  const studies = news.kind === 'sent' || news.kind === 'failed' ? news.studies : []
  return {
    kind: 'forward',
    ...wordsOf(name, news),
    aeTitle,
    address: host,
    associationId: '',
    studyInstanceUid: studies.length === 1 ? (studies[0] ?? null) : null,
  }
}

function wordsOf(name: string, news: WorkerNews): Pick<News, 'tone' | 'text'> {
  switch (news.kind) {
    case 'down':
      return {
        tone: 'danger',
        text: `${name} takes no images now: ${news.reason}. Waiting for it here: ${imagesOf(news.waiting)}.`,
      }
    case 'up':
      return { tone: 'good', text: `${name} takes images again.` }
    case 'sent':
      return { tone: 'good', text: `${imagesOf(news.instances)} sent to ${name}.` }
    case 'failed':
      return {
        tone: 'danger',
        text: `${imagesOf(news.instances)} not sent to ${name}: ${news.reason}. Somebody has to decide what becomes of them.`,
      }
  }
}

/** `1 image`, `12 images`. */
export const imagesOf = (count: number) => (count === 1 ? '1 image' : `${count} images`)
