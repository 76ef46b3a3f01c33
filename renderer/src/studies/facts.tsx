import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { Clock } from '../components/clock.tsx'
import { Copy } from '../components/copy.tsx'
import { Facts } from '../components/page.tsx'
import { numberText } from '../display/amounts.ts'
import { dayText } from '../display/dates.ts'
import { imagesText } from '../lists/study-columns.tsx'
import { words as listWords } from '../lists/words.ts'
import { ageText } from '../reading/patient.ts'
import css from './studies.module.css'
import type { Details } from './use-details.ts'
import { words } from './words.ts'

const { facts: names } = words
type Fact = readonly [name: string, value: ReactNode]

/**
 * What is empty is left out where it may well be, and named as not known where a person looks for
 * it.
 */
const known = (
  facts: readonly (readonly [name: string, value: ReactNode, isLookedFor?: boolean])[],
): readonly Fact[] =>
  facts
    .filter(([, value, isLookedFor]) => value || isLookedFor)
    .map(([name, value]) => [name, value || <span className={css.quiet}>{names.unknown}</span>])

const Mono = ({ text }: { text: string }) => <span className="mono">{text}</span>
const measured = (measure: { readonly value: number; readonly unit: string } | undefined) =>
  measure && `${numberText(measure.value)} ${measure.unit}`

/** Who the patient is, and how the scan was. */
export function PatientFacts({
  study,
  details,
}: {
  study: WindowStudy
  details: Details | undefined
}) {
  const metadata = details?.area === 'scribe' ? details.study.reportMetadata : undefined
  const { age, dateOfBirth, scanDate, scanTime } = study
  const years = ageText(
    { ...(age && { age }), ...(dateOfBirth && { dateOfBirth }), ...(scanDate && { scanDate }) },
    scanDate,
  )
  return (
    <Facts
      facts={known([
        [names.mrn, study.mrn && <Mono key="mrn" text={study.mrn} />, true],
        [
          names.born,
          [dateOfBirth && dayText(dateOfBirth), years && `(${years})`].filter(Boolean).join(' '),
          true,
        ],
        [names.sex, study.sex === '' ? '' : words.form.sexes[study.sex], true],
        [names.height, measured(metadata?.height)],
        [names.weight, measured(metadata?.weight)],
        [
          names.accession,
          study.accessionNumber && <Mono key="accession" text={study.accessionNumber} />,
          true,
        ],
        [names.modality, study.modalities.join(', ')],
        [names.scanType, metadata?.scanType],
        [names.scanned, [scanDate && dayText(scanDate), scanTime].filter(Boolean).join(' '), true],
        [names.facility, study.facilityName],
        [names.referrer, metadata?.referringPhysicianName],
      ])}
    />
  )
}

/** Whose study it is, and where it came from. */
export function PeopleFacts({ study, isWhole }: { study: WindowStudy; isWhole: boolean }) {
  const { madeBy, expressCustomer, assignedTo, images } = study
  return (
    <Facts
      facts={known([
        [names.assigned, assignedTo?.name ?? listWords.nobody],
        [
          names.customer,
          expressCustomer && (
            <Link
              key="customer"
              to="/customers/$expressCustomerId"
              params={{ expressCustomerId: expressCustomer.expressCustomerId }}
            >
              {expressCustomer.expressCustomerName}
            </Link>
          ),
        ],
        [names.madeBy, words.madeByKinds[madeBy.kind](madeBy.name)],
        [names.made, <Clock key="made" instant={study.createdAt} />],
        [names.changed, <Clock key="changed" instant={study.updatedAt} />],
        [
          names.images,
          images === null
            ? words.imagesNone
            : `${words.imagesHere(imagesText(images))}${images.isReceiving ? ` ${words.imagesArriving}` : ''}`,
        ],
        [names.priors, study.priors > 0 && numberText(study.priors)],
        ...(isWhole
          ? ([
              [names.uid, <Copied key="uid" text={study.studyInstanceUid} what={names.uidWhat} />],
              [names.id, <Copied key="id" text={study.studyId} what={names.idWhat} />],
            ] as const)
          : []),
      ])}
    />
  )
}

const Copied = ({ text, what }: { text: string; what: string }) => (
  <span className={css.copied}>
    <Mono text={text} /> <Copy value={text} what={what} />
  </span>
)

/**
 * What the partner or a person wrote about the patient's complaint and the scan; nothing where
 * nobody did.
 */
export function ContextFacts({ details }: { details: Details | undefined }) {
  if (details?.area !== 'scribe') return null
  const { clinicalIndication, technologistTechnique, technologistNotes = [] } = details.study
  const texts = known([
    [names.indication, clinicalIndication && <Lines key="indication" text={clinicalIndication} />],
    [
      names.technique,
      technologistTechnique && <Lines key="technique" text={technologistTechnique} />,
    ],
    [
      names.notes,
      technologistNotes.length > 0 && <Lines key="notes" text={technologistNotes.join('\n')} />,
    ],
  ])
  return texts.length > 0 && <Facts facts={texts} />
}

export const Lines = ({ text }: { text: string }) => <span className={css.lines}>{text}</span>
