import type { Context } from '#server/context.ts'
import type { PriorStudy, Pull } from '#shared/contract/destinations.ts'

/** Studies that are remembered; the ones found longest ago give way. */
const MOST_KEPT = 1000

/** Whose study it is, and what it shows. */
export type About = Pick<Pull, 'patientName' | 'patientId' | 'studyDescription' | 'studyDate'>

/**
 * What destinations told of the studies that were found there: a C-MOVE names a study by its UID
 * alone. Never written to the disk.
 */
export interface FoundStudies {
  remember(destinationId: string, studies: readonly PriorStudy[]): void
  /**
   * As the destination told it, else as the images that are here say it; empty where neither does.
   */
  about(destinationId: string, studyInstanceUid: string): About
}

export function openFoundStudies({ imageStudies }: Pick<Context, 'imageStudies'>): FoundStudies {
  const found = new Map<string, About>()
  return {
    remember(destinationId, studies) {
      for (const study of studies) {
        const key = keyOf(destinationId, study.studyInstanceUid)
        found.delete(key)
        found.set(key, aboutOf(study))
      }
      for (const key of found.keys()) {
        if (found.size <= MOST_KEPT) break
        found.delete(key)
      }
    },
    about(destinationId, studyInstanceUid) {
      const told = found.get(keyOf(destinationId, studyInstanceUid))
      return told ?? aboutOf(imageStudies.get(studyInstanceUid)?.header ?? NOTHING)
    },
  }
}

const NOTHING: About = { patientName: '', patientId: '', studyDescription: '', studyDate: '' }
const keyOf = (destinationId: string, studyInstanceUid: string) =>
  `${destinationId} ${studyInstanceUid}`
const aboutOf = ({ patientName, patientId, studyDescription, studyDate }: About): About => ({
  patientName,
  patientId,
  studyDescription,
  studyDate,
})
