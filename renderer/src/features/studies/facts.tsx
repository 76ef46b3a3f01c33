import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { numberText } from '../../format/amounts.ts'
import { dayText } from '../../format/dates.ts'
import { ageText } from '../../format/patient.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Copy } from '../../ui/copy.tsx'
import { FactList } from '../../ui/page.tsx'
import { imagesText } from '../../ui/study-list/study-columns.tsx'
import css from './studies.module.css'
import type { Details } from './use-details.ts'

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
    .map(([name, value]) => [
      name,
      value || <span className={css.quiet}>{t('ui.studies.facts.unknown')}</span>,
    ])

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
  const patientAge = ageText(
    { ...(age && { age }), ...(dateOfBirth && { dateOfBirth }), ...(scanDate && { scanDate }) },
    scanDate,
  )
  return (
    <FactList
      facts={known([
        [t('ui.studies.facts.mrn'), study.mrn && <Mono key="mrn" text={study.mrn} />, true],
        [
          t('ui.studies.facts.born'),
          [dateOfBirth && dayText(dateOfBirth), patientAge && `(${patientAge})`]
            .filter(Boolean)
            .join(' '),
          true,
        ],
        [
          t('ui.studies.facts.sex'),
          study.sex === '' ? '' : t(`ui.studies.form.sexes.${study.sex}`),
          true,
        ],
        [t('ui.studies.facts.height'), measured(metadata?.height)],
        [t('ui.studies.facts.weight'), measured(metadata?.weight)],
        [
          t('ui.studies.facts.accession'),
          study.accessionNumber && <Mono key="accession" text={study.accessionNumber} />,
          true,
        ],
        [t('ui.studies.facts.modality'), study.modalities.join(', ')],
        [t('ui.studies.facts.scanType'), metadata?.scanType],
        [
          t('ui.studies.facts.scanned'),
          [scanDate && dayText(scanDate), scanTime].filter(Boolean).join(' '),
          true,
        ],
        [t('ui.studies.facts.facility'), study.facilityName],
        [t('ui.studies.facts.referrer'), metadata?.referringPhysicianName],
      ])}
    />
  )
}

/** Whose study it is, and where it came from. */
export function PeopleFacts({ study, isWhole }: { study: WindowStudy; isWhole: boolean }) {
  const { madeBy, expressCustomer, assignedTo, images } = study
  return (
    <FactList
      facts={known([
        [t('ui.studies.facts.assigned'), assignedTo?.name ?? t('ui.study-list.nobody')],
        [
          t('ui.studies.facts.customer'),
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
        [
          t('ui.studies.facts.madeBy'),
          t(`ui.studies.madeByKinds.${madeBy.kind}`, { name: madeBy.name }),
        ],
        [t('ui.studies.facts.made'), <Clock key="made" instant={study.createdAt} />],
        [t('ui.studies.facts.changed'), <Clock key="changed" instant={study.updatedAt} />],
        [
          t('ui.studies.facts.images'),
          images === null
            ? t('ui.studies.imagesNone')
            : `${t('ui.studies.imagesHere', { count: imagesText(images) })}${images.isReceiving ? ` ${t('ui.studies.imagesArriving')}` : ''}`,
        ],
        [t('ui.studies.facts.priors'), study.priors > 0 && numberText(study.priors)],
        ...(isWhole
          ? ([
              [
                t('ui.studies.facts.uid'),
                <CopyableText
                  key="uid"
                  text={study.studyInstanceUid}
                  what={t('ui.studies.facts.uidWhat')}
                />,
              ],
              [
                t('ui.studies.facts.id'),
                <CopyableText key="id" text={study.studyId} what={t('ui.studies.facts.idWhat')} />,
              ],
            ] as const)
          : []),
      ])}
    />
  )
}

const CopyableText = ({ text, what }: { text: string; what: string }) => (
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
  const { study } = details
  const { clinicalHistory, clinicalIndication, modality } = study
  const { technologistTechnique, technologistNotes = [] } = study
  const texts = known([
    [
      t('ui.studies.facts.indication'),
      clinicalIndication && <Lines key="indication" text={clinicalIndication} />,
    ],
    [
      t('ui.studies.facts.history'),
      clinicalHistory && <Lines key="history" text={clinicalHistory} />,
    ],
    [t('ui.studies.facts.modality'), modality],
    [
      t('ui.studies.facts.technique'),
      technologistTechnique && <Lines key="technique" text={technologistTechnique} />,
    ],
    [
      t('ui.studies.facts.notes'),
      technologistNotes.length > 0 && <Lines key="notes" text={technologistNotes.join('\n')} />,
    ],
  ])
  return texts.length > 0 && <FactList facts={texts} />
}

export const Lines = ({ text }: { text: string }) => <span className={css.lines}>{text}</span>
