import type { Sentence } from './catalogue.ts'
import { BACK_UPS } from './sentences/back-ups.es.ts'
import { BANNER } from './sentences/banner.es.ts'
import { CONNECTIONS } from './sentences/connections.es.ts'
import { CORRECTIONS } from './sentences/corrections.es.ts'
import { DESTINATIONS } from './sentences/destinations.es.ts'
import { DICOM_FILES } from './sentences/dicom-files.es.ts'
import { EXAMS } from './sentences/exams.es.ts'
import { FAULTS } from './sentences/faults.es.ts'
import { IMAGES } from './sentences/images.es.ts'
import { MAIL } from './sentences/mail.es.ts'
import { PARTNER } from './sentences/partner.es.ts'
import { PEOPLE } from './sentences/people.es.ts'
import { READINESS } from './sentences/readiness.es.ts'
import { RECONCILIATION } from './sentences/reconciliation.es.ts'
import { REPORTS } from './sentences/reports.es.ts'
import { RESCUE } from './sentences/rescue.es.ts'
import { SELF_TEST } from './sentences/self-test.es.ts'
import { SETTINGS } from './sentences/settings.es.ts'
import { UPDATES } from './sentences/updates.es.ts'
import { UPKEEP } from './sentences/upkeep.es.ts'
import { VIEWER_ENGINE } from './sentences/viewer-engine.es.ts'
import { VIEWING } from './sentences/viewing.es.ts'
import { WORDS } from './sentences/words.es.ts'
import { WORKLIST } from './sentences/worklist.es.ts'
import { ZOD } from './sentences/zod.es.ts'

/**
 * What the gateway says to people, in Spanish; `test/renderer/language/sentences.test.ts` knows
 * that none is missing.
 */
export const SENTENCES: readonly Sentence[] = [
  ...BACK_UPS,
  ...BANNER,
  ...CONNECTIONS,
  ...CORRECTIONS,
  ...DESTINATIONS,
  ...DICOM_FILES,
  ...EXAMS,
  ...FAULTS,
  ...IMAGES,
  ...MAIL,
  ...PARTNER,
  ...PEOPLE,
  ...READINESS,
  ...RECONCILIATION,
  ...REPORTS,
  ...RESCUE,
  ...SELF_TEST,
  ...SETTINGS,
  ...UPDATES,
  ...UPKEEP,
  ...VIEWER_ENGINE,
  ...VIEWING,
  ...WORDS,
  ...WORKLIST,
  ...ZOD,
]
