import { IconHistory } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { NativeNotice } from '../../ui/native-notice.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { FindForm } from './find-form.tsx'
import type { PriorSearchResult } from './found.ts'
import { FoundStudies } from './found-studies.tsx'
import css from './prior-studies.module.css'
import { Retrievals } from './retrievals.tsx'

const route = getRouteApi('/shell/destinations/priors')

/** Earlier studies of a patient in another system: found by C-FIND, fetched by C-MOVE. */
export function PriorStudies() {
  const { study: studyInstanceUid, destination } = route.useSearch()
  const list = useReply(dashboardDestinations.list, {})
  const study = useReply(
    dashboardImages.read,
    { params: { studyInstanceUid: studyInstanceUid ?? '' } },
    { enabled: studyInstanceUid !== undefined, staleTime: Number.POSITIVE_INFINITY },
  )
  const [found, setFound] = useState<PriorSearchResult | null>(null)
  const open = list.data?.destinations.filter((one) => one.isEnabled && one.hasPriors) ?? []
  const isReady = list.isSuccess && (studyInstanceUid === undefined || !study.isPending)

  return (
    <Page
      title={t('ui.prior-studies.title')}
      about={
        <>
          {t('ui.prior-studies.about')}
          <div>
            <OriginLink studyInstanceUid={studyInstanceUid} />
          </div>
        </>
      }
    >
      <NativeNotice native={list.data?.native} />
      {!isReady && !list.isError && <LoadingPlaceholder rows={4} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {isReady && open.length === 0 && (
        <Panel>
          <EmptyState
            icon={<IconHistory size={34} stroke={1.3} />}
            title={t('ui.prior-studies.none')}
            action={<Link to="/destinations">{t('ui.prior-studies.back')}</Link>}
          >
            {t('ui.prior-studies.noneText')}
          </EmptyState>
        </Panel>
      )}
      {isReady && open.length > 0 && (
        <>
          <FindForm destinations={open} first={destination} study={study.data} onFound={setFound} />
          <div className={css.columns}>
            {found ? (
              <FoundStudies found={found} patientId={study.data?.patientId} />
            ) : (
              <Panel>
                <EmptyState
                  icon={<IconHistory size={34} stroke={1.3} />}
                  title={t('ui.prior-studies.before')}
                >
                  {t('ui.prior-studies.beforeText')}
                </EmptyState>
              </Panel>
            )}
            <Retrievals />
          </div>
        </>
      )}
    </Page>
  )
}

function OriginLink({ studyInstanceUid }: { studyInstanceUid: string | undefined }) {
  if (studyInstanceUid) {
    return (
      <BackLink to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
        {t('ui.prior-studies.backToStudy')}
      </BackLink>
    )
  }
  return <BackLink to="/destinations">{t('ui.prior-studies.back')}</BackLink>
}
