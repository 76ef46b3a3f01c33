import { Group, SegmentedControl, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPhoto } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { ImageStudySummary } from '#shared/contract/images.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { useStatus } from '../../api/status.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import type { RowKey, TableHandle } from '../../ui/data-table-props.ts'
import { openImages } from '../../ui/open-images.tsx'
import { Page } from '../../ui/page.tsx'
import { NewerButton, PagedTable } from '../../ui/paged-table.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { PreviewButton, usePreviewChoice } from '../../ui/preview-pane.tsx'
import { ImageTabs } from '../../ui/sections/image-tabs.tsx'
import { SearchBox } from '../../ui/study-list/search-box.tsx'
import { tableOf } from '../../ui/study-list/use-rows.ts'
import { Thumbnail } from '../../ui/thumbnail.tsx'
import { ArrivalState, ImageTags } from './arrival.tsx'
import css from './images.module.css'
import { Preview } from './preview.tsx'
import { senderName } from './sender-name.ts'
import { studyThumbnail } from './thumbnail-addresses.ts'
import { IMAGE_STUDY_FILTERS, type ImageStudyFilter, useImageStudies } from './use-image-studies.ts'

const route = getRouteApi('/shell/images')
const SEARCH_DELAY_MS = 60
const ROW_KEYS: readonly RowKey<ImageStudySummary>[] = [
  {
    keys: 'v',
    name: t('ui.study-list.keyNames.images'),
    run: ({ studyInstanceUid }) => void openImages({ studyInstanceUid }),
  },
]

const THUMBNAIL_SIZE = 44

/** To the correction of images that differ from their order, for who may make it. */
function ResolveLink({ study, isCurrent }: { study: ImageStudySummary; isCurrent: boolean }) {
  const { studyInstanceUid } = study
  if (!useMayManageStudies()) return null
  return (
    <div>
      <Link
        to="/images/$studyInstanceUid/resolve"
        params={{ studyInstanceUid }}
        tabIndex={isCurrent ? 0 : -1}
      >
        {t('ui.common.identity.resolve')}…
      </Link>
    </div>
  )
}

const columns: readonly Column<ImageStudySummary>[] = [
  {
    name: t('ui.images.columns.thumbnail'),
    track: `${THUMBNAIL_SIZE}px`,
    head: <VisuallyHidden>{t('ui.images.columns.thumbnail')}</VisuallyHidden>,
    cell: (study) => (
      <Thumbnail
        address={studyThumbnail(study)}
        modalities={study.modalities}
        side={THUMBNAIL_SIZE}
      />
    ),
  },
  {
    name: t('ui.images.columns.patient'),
    track: 'minmax(132px, 1.5fr)',
    cell: ({ studyInstanceUid, patientName, patientId }, isCurrent) => (
      <>
        <Link
          to="/images/$studyInstanceUid"
          params={{ studyInstanceUid }}
          tabIndex={isCurrent ? 0 : -1}
        >
          <PersonName value={patientName} />
        </Link>
        <div className={`mono ${css.under}`}>{patientId}</div>
      </>
    ),
  },
  {
    name: t('ui.images.columns.exam'),
    track: 'minmax(108px, 1.6fr)',
    cell: ({ modalities, studyDescription, accessionNumber }) => (
      <>
        <b>{modalities.join(', ')}</b> {studyDescription}
        <div className={`mono ${css.under}`}>{accessionNumber}</div>
      </>
    ),
  },
  {
    name: t('ui.images.columns.device'),
    track: 'minmax(74px, 0.9fr)',
    rank: 1,
    cell: ({ deviceName, callingAeTitle }) => senderName(deviceName) || callingAeTitle,
  },
  {
    name: t('ui.images.columns.images'),
    track: '80px',
    cell: (study) => <ArrivalState study={study} />,
  },
  {
    name: t('ui.images.columns.state'),
    track: 'minmax(164px, 2fr)',
    cell: (study, isCurrent) => (
      <>
        <ImageTags study={study} />
        {study.identity === 'mismatch' && <ResolveLink study={study} isCurrent={isCurrent} />}
      </>
    ),
  },
  {
    name: t('ui.images.columns.last'),
    track: '80px',
    rank: 2,
    isRightAligned: true,
    cell: ({ lastInstanceAt }) => <Clock instant={lastInstanceAt} />,
  },
]

/** Studies with images, as they arrive. */
export function Images() {
  const chosen = route.useSearch().show
  const show: ImageStudyFilter = IMAGE_STUDY_FILTERS.find((one) => one === chosen) ?? 'all'
  const navigate = useNavigate()
  // Not in the address: what is searched for may name a patient.
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const studies = useImageStudies(show, search)
  const isFiltered = show !== 'all' || search !== ''
  const choose = (value: string) =>
    void navigate({ to: '/images', search: value === 'all' ? {} : { show: value }, replace: true })
  const table = useRef<TableHandle>(null)
  const preview = usePreviewChoice('isthmus-images-preview')
  const [currentUid, setCurrentUid] = useState<string>()
  const clear = () => {
    setTyped('')
    choose('all')
  }
  const showNew = () => {
    studies.showNew()
    table.current?.toTop()
  }

  return (
    <Page
      title={t('ui.images.title')}
      about={t('ui.images.about')}
      isFull
      actions={<PreviewButton choice={preview} />}
    >
      <ImageTabs />
      <Group gap={12}>
        <SearchBox
          label={t('ui.images.search')}
          placeholder={t('ui.images.searchWhat')}
          maxLength={64}
          value={typed}
          onChange={setTyped}
          onDown={() => table.current?.focus()}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('ui.images.showLabel')}
          value={show}
          onChange={choose}
          data={IMAGE_STUDY_FILTERS.map((value) => ({
            value,
            label: t(`ui.images.shows.${value}`),
          }))}
        />
        {studies.unseen > 0 && (
          <NewerButton name={t('ui.images.newer', { count: studies.unseen })} onClick={showNew} />
        )}
      </Group>
      <PagedTable
        tableId="images"
        list={studies}
        nothing={{
          icon: IconPhoto,
          ...(isFiltered
            ? {
                title: t('ui.images.noneFiltered'),
                text: t('ui.images.noneFilteredText'),
                clear: { name: t('ui.images.clear'), run: clear },
              }
            : { title: t('ui.images.none'), text: <NoImagesText /> }),
        }}
        waitingHeight={60}
        {...tableOf(studies)}
        label={t('ui.images.label')}
        columns={columns}
        handle={table}
        rowKeys={[
          ...ROW_KEYS,
          { keys: 'p', name: t('ui.study-list.keyNames.preview'), run: preview.toggle },
        ]}
        onCurrent={({ studyInstanceUid }) => setCurrentUid(studyInstanceUid)}
        side={
          preview.isShown ? (
            <Preview
              study={
                studies.rows.find(({ studyInstanceUid }) => studyInstanceUid === currentUid) ?? null
              }
            />
          ) : null
        }
        isMain
        ahead={30}
        keyOf={(row) => row.studyInstanceUid}
        least={preview.isShown ? 620 : 768}
        onOpen={({ studyInstanceUid }) =>
          void navigate({ to: '/images/$studyInstanceUid', params: { studyInstanceUid } })
        }
        end={studies.hasMore ? t('ui.images.more') : t('ui.images.last')}
      />
    </Page>
  )
}

function NoImagesText() {
  const listener = useStatus().data?.listeners.find((one) => one.name === 'dimse')
  const aeTitle = listener?.aeTitle
  return aeTitle ? t('ui.images.noneText', { aeTitle }) : t('ui.images.noneTextUnnamed')
}
