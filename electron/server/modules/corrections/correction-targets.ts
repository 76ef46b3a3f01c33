import type { ImageStudyRecord } from '#server/modules/images/image-study-queries.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import type { IntakeDeps } from '#server/modules/images/ports.ts'
import { OWN_ADDRESS } from '#server/modules/images/study-identity.ts'
import type { ScribeStudyRecord, StudyRecord } from '#server/modules/studies/study-queries.ts'
import { addDays, clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import type { CorrectionTarget, TargetChoice } from '#shared/contract/corrections.ts'
import { PATIENT_SEX } from '#shared/dicom-values.ts'
import { identityOfHeader, type Order, patientOf, type Target } from './correction-rules.ts'

/** Orders of the worklist that are known here. */
export interface Orders {
  /** Of these days (YYYY-MM-DD), those that no device may be sent left out. */
  onDays(days: readonly string[]): Promise<Order[]>
  get(orderId: string): Promise<Order | undefined>
}

/** Where images can be put that are corrected. */
export interface CorrectionTargets {
  /** Undefined: it is not known any more. */
  targetOf(target: CorrectionTarget): Promise<Target | undefined>
  /** Orders and studies that the images of the study may belong to, the most similar first. */
  search(study: ImageStudyRecord, search: string): Promise<TargetChoice[]>
}

const MOST_TARGETS = 60
/** Modalities of the copies of reports. */
const OF_REPORTS: readonly string[] = ['SR', 'DOC']

export function openCorrectionTargets({
  store,
  clock,
  setting,
  orders,
}: Pick<IntakeDeps, 'store' | 'clock' | 'setting' | 'orders'>): CorrectionTargets {
  const { imageStudies, reportObjects, reports, studies } = store
  const today = () => clinicDay(clock(), timeZoneOf(setting('clinic.timeZone')))

  /** Without the copies of its signed reports. */
  function imagesIn(studyInstanceUid: string): number {
    const study = studies.byUid('scribe', studyInstanceUid)
    const signed = study ? reports.signedOf(study.studyId) : []
    const copies = signed.flatMap(({ reportId }) => reportObjects.ofReport(reportId)).length
    return Math.max(0, (imageStudies.get(studyInstanceUid)?.instances ?? 0) - copies)
  }

  return {
    async targetOf(target) {
      if (target.to === 'patient') return { ...NOTHING, patient: target.patient }
      if (target.to === 'order') {
        const order = await orders.get(target.orderId)
        const there = order && imageStudies.get(order.studyInstanceUid)
        return (
          order && {
            ...NOTHING,
            patient: patientOf(order),
            studyInstanceUid: order.studyInstanceUid,
            order,
            ...imagesThere(there),
          }
        )
      }
      const { studyInstanceUid } = target
      const images = imageStudies.get(studyInstanceUid)
      const { header, row } = imagesThere(images)
      if (header)
        return { ...NOTHING, patient: identityOfHeader(header), studyInstanceUid, header, row }
      const metadata = studies.byUid('scribe', studyInstanceUid)?.detail.reportMetadata
      if (!metadata) return undefined
      const [order] = (await orders.onDays(daysAround(metadata.scanDate ?? '', today()))).filter(
        (one) => one.studyInstanceUid === studyInstanceUid,
      )
      const patient: Target['patient'] = {
        patientName: (metadata.patientName ?? '').trim(),
        patientId: (metadata.mrn ?? '').trim(),
        patientBirthDate: (metadata.dateOfBirth ?? '').replaceAll('-', ''),
        patientSex: metadata.sex ? PATIENT_SEX[metadata.sex] : '',
        accessionNumber: order?.accessionNumber ?? '',
      }
      return { ...NOTHING, patient, studyInstanceUid, order }
    },

    async search(study, search) {
      const { studyInstanceUid } = study
      const { header } = study
      const own = identityOfHeader(header)
      const days = daysAround(header.studyDate, today())
      const listed = await orders.onDays(days)
      const found = new Map<string, TargetChoice>()
      for (const order of listed) {
        const { orderId, modality, date, time } = order
        found.set(`order/${orderId}`, {
          target: { to: 'order', orderId },
          ...patientOf(order),
          description:
            order.requestedProcedureDescription ||
            order.scheduledProcedureStepDescription ||
            order.studyDescription,
          ...{ modality, date, time, instances: imagesIn(order.studyInstanceUid) },
        })
      }
      const ordered = new Set(listed.map((order) => order.studyInstanceUid))
      const searches =
        search === '' ? [own.patientId, own.patientName].filter((text) => text !== '') : [search]
      for (const text of searches)
        for (const other of imageStudies.list(
          { show: 'all', search: text },
          undefined,
          MOST_TARGETS,
        ).items) {
          if (other.studyInstanceUid === studyInstanceUid || other.instances === 0) continue
          const { studyDescription, studyDate, studyTime } = other.header
          found.set(`study/${other.studyInstanceUid}`, {
            target: { to: 'study', studyInstanceUid: other.studyInstanceUid },
            ...identityOfHeader(other.header),
            description: studyDescription,
            modality: other.modalities.filter((one) => !OF_REPORTS.includes(one)).join(', '),
            ...{ date: studyDate, time: studyTime, instances: imagesIn(other.studyInstanceUid) },
          })
        }
      const waiting = studies.search
        .find({ area: 'scribe', search, isCancelled: false }, 'newest', undefined, MOST_TARGETS)
        .items.filter(isScribe)
      for (const { studyInstanceUid: uid, detail, studyDescription } of waiting) {
        if (ordered.has(uid) || (imageStudies.get(uid)?.instances ?? 0) > 0) continue
        const {
          patientName = '',
          mrn = '',
          dateOfBirth = '',
          sex,
          scanDate = '',
        } = detail.reportMetadata ?? {}
        found.set(`study/${uid}`, {
          target: { to: 'study', studyInstanceUid: uid },
          ...{
            patientName,
            patientId: mrn,
            patientBirthDate: dateOfBirth.replaceAll('-', ''),
            patientSex: sex ? PATIENT_SEX[sex] : '',
          },
          ...{
            accessionNumber: '',
            description: studyDescription,
            modality: '',
            date: scanDate.replaceAll('-', ''),
            time: '',
            instances: 0,
          },
        })
      }
      const words = folded(search)
        .split(/[\s^]+/)
        .filter((word) => word !== '')
      const isFound = (choice: TargetChoice) => {
        const { patientName, patientId, accessionNumber, description } = choice
        const text = folded([patientName, patientId, accessionNumber, description].join(' '))
        return words.every((word) => text.includes(word))
      }
      const score = (choice: TargetChoice) =>
        (own.accessionNumber !== '' && choice.accessionNumber === own.accessionNumber ? 8 : 0) +
        (own.patientId !== '' && choice.patientId === own.patientId ? 4 : 0) +
        (isSameName(choice.patientName, own.patientName) ? 4 : 0) +
        (study.modalities.includes(choice.modality) ? 2 : 0) +
        (choice.date === header.studyDate ? 1 : 0)
      return [...found.values()]
        .filter(isFound)
        .sort((a, b) => score(b) - score(a) || a.patientName.localeCompare(b.patientName))
        .slice(0, MOST_TARGETS)
    },
  }
}

const NOTHING = {
  studyInstanceUid: undefined,
  order: undefined,
  header: undefined,
  row: undefined,
} as const
const isScribe = (study: StudyRecord): study is ScribeStudyRecord => study.area === 'scribe'
const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** A study that was only announced, or holds what the gateway made, has no patient of its own. */
function imagesThere(study: ImageStudyRecord | undefined): Pick<Target, 'header' | 'row'> {
  if (!study || study.instances === 0 || study.remoteAddress === OWN_ADDRESS)
    return { header: undefined, row: undefined }
  return { header: study.header, row: study.handedOut ?? undefined }
}

/** YYYY-MM-DD of the days around when the images were made, and of those around now. */
function daysAround(studyDate: string, today: string): string[] {
  const made = studyDate.replaceAll('-', '').replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  const days = [made, today].filter((day) => /^\d{4}-\d\d-\d\d$/.test(day))
  return [...new Set(days.flatMap((day) => [-1, 0, 1].map((offset) => addDays(day, offset))))]
}
