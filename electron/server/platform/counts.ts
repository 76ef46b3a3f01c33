import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import type { IntakeDeps, News } from '#server/modules/images/ports.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import { msOf } from './clock.ts'

/**
 * What an association brought, until it ends: the feed tells of each kind of refusal once, and of
 * the rest in one line.
 */
export interface Tally {
  /** The association, which is open, sends an instance. */
  begin(association: AssociationInfo): void
  kept(association: AssociationInfo, studyInstanceUid: string): void
  /** Already here. */
  repeated(association: AssociationInfo, studyInstanceUid: string): void
  quarantined(association: AssociationInfo, studyInstanceUid: string, why: string): void
  refused(association: AssociationInfo, why: string): void
  /** Told once of an association and a study. */
  told(associationId: string, tone: News['tone'], text: string, studyInstanceUid: string): void
  /** Whether an association that is open sent to the study. */
  isOpen(studyInstanceUid: string): boolean
  /** Whether the association is open and sends. */
  isSending(associationId: string): boolean
  /** Whether the association is open, and began to send after the instant. */
  beganAfter(associationId: string, at: Instant): boolean
  /** Studies it sent to; undefined where it sent no image. */
  closed(associationId: string, how: Ending): Sender | undefined
}

/** How an association ended. */
export interface Ending {
  readonly kind: 'released' | 'aborted'
  /** In words, for what was aborted. */
  readonly detail: string
}

export interface Sender {
  readonly studies: readonly string[]
  /** When it began to send, ms since 1970. */
  readonly since: number
}

interface Count {
  readonly association: AssociationInfo
  readonly since: number
  readonly studies: Set<string>
  readonly told: Set<string>
  kept: number
  repeated: number
  quarantined: number
  refused: number
}

export function openTally({ clock, onNews }: Pick<IntakeDeps, 'clock' | 'onNews'>): Tally {
  const counts = new Map<string, Count>()

  /**
   * One more of these; an instance may be done with after its association has ended, which then is
   * not counted any more.
   */
  function add(
    { associationId }: AssociationInfo,
    what: keyof typeof NOTHING,
    studyInstanceUid: string | null,
  ): Count | undefined {
    const count = counts.get(associationId)
    if (!count) return undefined
    count[what]++
    if (studyInstanceUid !== null) count.studies.add(studyInstanceUid)
    return count
  }

  function tell(
    { association, told }: Count,
    tone: News['tone'],
    text: string,
    studyInstanceUid: string | null,
  ): void {
    const key = `${studyInstanceUid ?? ''} ${text}`
    if (told.has(key)) return
    told.add(key)
    const { callingAeTitle: aeTitle, remoteAddress: address, associationId } = association
    onNews({ kind: 'images', tone, text, aeTitle, address, associationId, studyInstanceUid })
  }

  return {
    begin(association) {
      const { associationId } = association
      if (counts.has(associationId)) return
      counts.set(associationId, {
        association,
        since: clock(),
        studies: new Set(),
        told: new Set(),
        ...NOTHING,
      })
    },
    kept: (association, studyInstanceUid) => void add(association, 'kept', studyInstanceUid),
    repeated: (association, studyInstanceUid) =>
      void add(association, 'repeated', studyInstanceUid),
    quarantined(association, studyInstanceUid, why) {
      const count = add(association, 'quarantined', studyInstanceUid)
      if (count) tell(count, 'warning', `Accepted and set aside: ${why}`, studyInstanceUid)
    },
    refused(association, why) {
      const count = add(association, 'refused', null)
      if (count) tell(count, 'danger', `Refused: ${why}`, null)
    },
    told(associationId, tone, text, studyInstanceUid) {
      const count = counts.get(associationId)
      if (count) tell(count, tone, text, studyInstanceUid)
    },
    isOpen(studyInstanceUid) {
      for (const { studies } of counts.values()) if (studies.has(studyInstanceUid)) return true
      return false
    },
    isSending: (associationId) => counts.has(associationId),
    beganAfter: (associationId, at) => (counts.get(associationId)?.since ?? 0) > msOf(at),
    closed(associationId, { kind, detail }) {
      const count = counts.get(associationId)
      if (!count) return undefined
      counts.delete(associationId)
      const studies = [...count.studies]
      const tone = count.refused > 0 || kind === 'aborted' ? 'warning' : 'good'
      const end = kind === 'aborted' ? ` Then the transfer broke off: ${detail}.` : ''
      tell(
        count,
        tone,
        `${sentenceOf(count)}${end}`,
        studies.length === 1 ? (studies[0] ?? null) : null,
      )
      return { studies, since: count.since }
    },
  }
}

const NOTHING = { kept: 0, repeated: 0, quarantined: 0, refused: 0 }

function sentenceOf({ kept, repeated, quarantined, refused, studies }: Count): string {
  const parts = [
    repeated > 0 && `${repeated} of them here already`,
    quarantined > 0 && `${quarantined} set aside`,
    refused > 0 && `${refused} refused`,
  ].filter((part) => part !== false)
  const all = kept + repeated + quarantined + refused
  const more = parts.length > 0 ? ` (${parts.join(', ')})` : ''
  return `Sent ${all} ${all === 1 ? 'object' : 'objects'} of ${studies.size} ${studies.size === 1 ? 'study' : 'studies'}${more}.`
}
