import type { NoticeContact } from '#shared/contract/correction-notices.ts'
import { countText } from '../display/amounts.ts'
import { inLanguage } from '../language/words.ts'
import { es } from './words.es.ts'

const en = {
  title: 'Correction notices',
  about:
    'These recipients have images that were corrected afterwards, or a report that was signed before images were added. Inform each of them, then mark them as informed.',
  label: 'Recipients of the wrong version',
  columns: {
    who: 'Recipient',
    has: 'Involvement',
    patient: 'Patient',
    since: 'Corrected',
    actions: 'Informed',
  },
  show: { open: 'To inform', all: 'All' },
  kinds: { destination: 'Destination', partner: 'Partner', person: 'Person' },
  contacts: {
    'has-images': 'Received the images',
    source: 'The images were retrieved from it',
    'former-destination': 'Received the images; no longer a destination here',
    'created-study': 'Created the study',
    enrichment: 'Was asked for patient details',
    context: 'Was asked for the clinical context',
    report: 'Received the report',
    captures: 'Received captures of the images',
    customer: 'Sees the study and its reports',
    signed: 'Signed the report',
    'critical-result': 'Was notified of the critical result',
    'opened-images': 'Opened the images',
    ordered: 'Ordered the reported exam',
  } satisfies Readonly<Record<NoticeContact['what'], string>>,
  added: 'Images were added to the study after its report was signed',
  ofTarget: 'study that images were added to',
  undone: 'The correction was undone: the earlier version is right',
  patientBefore: 'before',
  patientNow: 'correct',
  images: 'What was corrected',
  sending: {
    preparing: 'The rejection note is being prepared.',
    waiting: (sent: number, of: number) => `Sending: ${sent} of ${countText(of, 'object')} sent.`,
    failed: (count: number) => `${countText(count, 'object')} could not be sent.`,
    off: 'The destination is switched off.',
    lastError: 'Last error',
  },
  byGateway: 'By the gateway',
  confirm: 'Mark as informed',
  confirmOf: (name: string) => `Mark as informed: ${name}`,
  ask: {
    title: 'Mark as informed?',
    action: 'Mark as informed',
    label: 'Whom you spoke to and what they answered',
    about: 'Kept in the audit trail.',
    example: 'e.g. called the RIS team, they moved the report to the right patient',
    missing: 'Enter whom you spoke to',
  },
  confirmed: 'Marked as informed.',
  none: 'No one left to inform',
  noneText: 'Recipients are listed here when images they received are corrected.',
  more: 'Loading more…',
  last: 'End of list',
  notAllowed: 'You need permission to manage studies or write reports to see this list.',
} as const
export type English = typeof en
export const words = inLanguage(en, es)
