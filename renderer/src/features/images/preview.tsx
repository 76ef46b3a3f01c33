import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFolderOpen } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  dashboardImages,
  type ImageSeries,
  type ImageStudySummary,
} from '#shared/contract/images.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { bytesText } from '../../format/amounts.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { sexText } from '../../format/image-states.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { OpenImagesButton } from '../../ui/open-images.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { PreviewPane } from '../../ui/preview-pane.tsx'
import { Thumbnail } from '../../ui/thumbnail.tsx'
import { ImageTags } from './arrival.tsx'
import css from './preview.module.css'
import { senderName } from './sender-name.ts'
import { seriesThumbnail } from './thumbnail-addresses.ts'

/** Going from row to row asks for nothing: only the row that a person stays at. */
const PREVIEW_DELAY_MS = 180
const POLL_CUT_OFF_MS = 5000
const THUMBNAIL_SIZE = 96

/** More of the study of the current row, beside the list. */
export function Preview({ study }: { study: ImageStudySummary | null }) {
  const [stayed] = useDebouncedValue(study?.studyInstanceUid, PREVIEW_DELAY_MS)
  return (
    <PreviewPane>
      {study && <PreviewContent study={study} hasSeries={stayed === study.studyInstanceUid} />}
    </PreviewPane>
  )
}

function PreviewContent({ study, hasSeries }: { study: ImageStudySummary; hasSeries: boolean }) {
  const { studyInstanceUid } = study
  return (
    <>
      <h2>
        <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
          <PersonName value={study.patientName} />
        </Link>
      </h2>
      <p className={css.exam}>{examText(study)}</p>
      <ImageTags study={study} />
      <div className={css.actions}>
        <OpenImagesButton of={{ studyInstanceUid }} size="xs" />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFolderOpen size={16} />}
          renderRoot={(props) => (
            <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }} {...props} />
          )}
        >
          {t('ui.images.preview.open')}
        </Button>
      </div>
      <FactList facts={factsOf(study)} />
      <hr />
      <h3>
        {t('ui.images.series')} ({study.series})
      </h3>
      {hasSeries ? (
        <Series key={studyInstanceUid} study={study} />
      ) : (
        <LoadingPlaceholder rows={2} height={THUMBNAIL_SIZE} />
      )}
    </>
  )
}

/** Modalities and description, without naming the modality twice. */
const examText = ({ modalities, studyDescription }: ImageStudySummary): string =>
  modalities.some((one) => studyDescription.startsWith(one))
    ? studyDescription
    : [modalities.join(', '), studyDescription].filter(Boolean).join(' ')

type Fact = readonly [name: string, value: ReactNode]

const factsOf = (study: ImageStudySummary): readonly Fact[] =>
  [
    [t('ui.images.facts.patientId'), <Code key="id" text={study.patientId} />],
    [t('ui.images.facts.born'), dayText(study.patientBirthDate)],
    [t('ui.images.facts.sex'), sexText(study.patientSex)],
    [t('ui.images.facts.accession'), <Code key="accession" text={study.accessionNumber} />],
    [t('ui.images.facts.date'), `${dayText(study.studyDate)} ${timeText(study.studyTime)}`.trim()],
    [t('ui.images.facts.device'), senderName(study.deviceName) || study.callingAeTitle],
    [
      t('ui.images.facts.received'),
      t('ui.images.received', {
        images: study.instances,
        series: study.series,
        size: bytesText(study.bytes),
      }),
    ],
    [t('ui.images.columns.last'), <Clock key="last" instant={study.lastInstanceAt} />],
  ].map(([name, value]): Fact => [String(name), value === '' ? t('ui.images.missing') : value])

const Code = ({ text }: { text: string }) => (
  <span className="mono">{text || t('ui.images.missing')}</span>
)

function Series({ study }: { study: ImageStudySummary }) {
  const { studyInstanceUid } = study
  const { isOpen } = useEventStream()
  const reply = useReply(
    dashboardImages.read,
    { params: { studyInstanceUid } },
    isOpen ? {} : { every: POLL_CUT_OFF_MS },
  )
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <LoadingPlaceholder rows={2} height={THUMBNAIL_SIZE} />
  const { seriesList } = reply.data
  if (seriesList.length === 0) return <p className={css.exam}>{t('ui.images.seriesNone')}</p>
  return (
    <ul className={css.series}>
      {seriesList.map((one) => (
        <li key={one.seriesInstanceUid}>
          <Thumbnail
            address={seriesThumbnail(study, one)}
            modalities={[one.modality]}
            side={THUMBNAIL_SIZE}
          />
          <SeriesName series={one} />
        </li>
      ))}
    </ul>
  )
}

const SeriesName = ({ series: one }: { series: ImageSeries }) => (
  <span className={css.named}>
    <span className={css.description}>
      {one.lastInstanceAt === null
        ? t('ui.images.seriesAwaited')
        : one.seriesDescription || t('ui.images.preview.untitled')}
    </span>
    <span className={css.count}>
      <b>{one.modality}</b>{' '}
      {one.seriesNumber && `${t('ui.images.preview.number', { number: one.seriesNumber })} · `}
      {t('ui.images.preview.images', { count: one.instances })}
    </span>
  </span>
)
