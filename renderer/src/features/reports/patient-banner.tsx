import { Group, Title } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Reading } from '#shared/contract/reports.ts'
import { linkedViewId } from '../../api/shared-study.ts'
import { useZone } from '../../api/status.ts'
import { dayText, todayIn } from '../../format/dates.ts'
import { ageText, sexName } from '../../format/patient.ts'
import { t } from '../../i18n/t.ts'
import { IdentityTag } from '../../ui/identity-tag.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './reports.module.css'
import { StudyTags } from './study-tags.tsx'

type Banner = Pick<
  Reading,
  | 'reportMetadata'
  | 'studyDescription'
  | 'accessionNumber'
  | 'severity'
  | 'isCancelled'
  | 'status'
  | 'isCritical'
> &
  Partial<Pick<Reading, 'images' | 'studyInstanceUid' | 'identity' | 'isUnscheduled'>>

/** Who the report is of: always in sight while it is written, and once more where it is signed. */
export function PatientBanner({
  study,
  isLarge,
  before,
  aside,
}: {
  study: Banner
  isLarge?: boolean
  before?: ReactNode
  aside?: ReactNode
}) {
  const {
    reportMetadata: metadata,
    studyDescription,
    accessionNumber,
    images,
    studyInstanceUid,
    identity,
    isUnscheduled = false,
  } = study
  const today = todayIn(useZone(), new Date())
  const age = ageText(metadata, today)
  const facts: readonly (readonly [name: string, value: string, isMono?: boolean])[] = [
    [
      t('ui.reports.banner.born'),
      [metadata.dateOfBirth && dayText(metadata.dateOfBirth), age && `(${age})`]
        .filter(Boolean)
        .join(' '),
    ],
    [t('ui.reports.banner.sex'), sexName(metadata.sex)],
    [t('ui.reports.banner.mrn'), metadata.mrn ?? '', true],
    [t('ui.reports.banner.accession'), accessionNumber, true],
    [t('ui.reports.banner.study'), studyDescription],
    [
      t('ui.reports.banner.scanned'),
      [metadata.scanDate && dayText(metadata.scanDate), metadata.scanTime]
        .filter(Boolean)
        .join(' '),
    ],
    ...(metadata.referringPhysicianName
      ? ([[t('ui.reports.banner.referrer'), metadata.referringPhysicianName]] as const)
      : []),
  ]
  return (
    <section
      className={isLarge ? css.bannerLarge : css.banner}
      aria-label={t('ui.reports.banner.label')}
    >
      <div className={css.bannerName}>
        {before}
        <Title order={isLarge ? 2 : 1}>
          {metadata.patientName ? (
            <PersonName value={metadata.patientName} />
          ) : (
            t('ui.reports.banner.noName')
          )}
        </Title>
        <StudyTags study={study} hasStatus={!isLarge} />
        {images && studyInstanceUid && !isLarge && linkedViewId === null && (
          <Link
            to="/images/$studyInstanceUid"
            params={{ studyInstanceUid }}
            className={css.bannerLink}
          >
            <IconPhoto size={15} aria-hidden />{' '}
            {t('ui.reports.banner.images', { count: images.instances })}
          </Link>
        )}
        {images && identity && <IdentityTag state={identity.state} isUnscheduled={isUnscheduled} />}
        {images?.isReceiving && !isLarge && <Tag tone="info">{t('ui.reports.list.receiving')}</Tag>}
        {aside && <Group ml="auto">{aside}</Group>}
      </div>
      <dl className={css.bannerFacts}>
        {facts.map(([name, value, isMono]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={isMono && value ? 'mono' : undefined}>
              {value || t('ui.reports.banner.unknown')}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
