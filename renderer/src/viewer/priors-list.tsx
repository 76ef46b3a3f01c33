import { Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ViewedPrior } from '#shared/contract/viewed-images.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../api/client.ts'
import { dayText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'
import { Failed, Waiting } from '../ui/page.tsx'
import { Tag } from '../ui/tone.tsx'
import { call } from './calls.ts'
import { useBench, useDesk, useImages } from './desk-context.ts'
import css from './side.module.css'

/** Earlier studies of the patient; a click puts one beside. */
export function PriorsList() {
  const { desk } = useBench()
  const { viewId } = desk.view
  const reply = useQuery<{ priors: ViewedPrior[] }, ProblemError>({
    queryKey: [viewing.priors.path],
    queryFn: ({ signal }) => call(viewing.priors, { params: { viewId } }, signal),
  })
  if (reply.isError) return <Failed error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <Waiting rows={3} height={52} />
  if (reply.data.priors.length === 0)
    return <p className={css.about}>{t('ui.viewer.priors.none')}</p>
  return (
    <>
      <p className={css.about}>{t('ui.viewer.priors.about')}</p>
      <ul className={css.list}>
        {reply.data.priors.map((prior) => (
          <Prior key={prior.studyInstanceUid} prior={prior} onAdded={() => void reply.refetch()} />
        ))}
      </ul>
    </>
  )
}

function Prior({ prior, onAdded }: { prior: ViewedPrior; onAdded: () => void }) {
  const { desk, list } = useBench()
  const { studies } = useImages()
  const { studyInstanceUid, isOpen } = prior
  const isHere = studies.some(
    ({ study, series }) => study.studyInstanceUid === studyInstanceUid && series.length > 0,
  )
  const isAwaited = useDesk((state) => state.awaitedPriors.includes(studyInstanceUid))
  const add = useMutation<unknown, ProblemError>({
    mutationFn: async () => {
      if (isOpen && isHere) return
      await call(viewing.addPrior, {
        params: { viewId: desk.view.viewId },
        body: { studyInstanceUid },
      })
      list.again()
    },
    onSuccess: () => {
      desk.set((state) => ({
        awaitedPriors: [...new Set([...state.awaitedPriors, studyInstanceUid])],
      }))
      onAdded()
    },
  })
  return (
    <li className={css.item}>
      <div className={css.body}>
        <p>
          <strong>{dayText(prior.studyDate) || t('ui.viewer.priors.undated')}</strong>{' '}
          {prior.modalities.join(', ')}
        </p>
        <p>{prior.studyDescription || t('ui.viewer.priors.untitled')}</p>
        <Text className={css.quiet ?? ''}>
          {isAwaited
            ? t('ui.viewer.priors.adding')
            : prior.instances === null
              ? t('ui.viewer.priors.imagesUnknown')
              : t('ui.viewer.priors.images', { count: prior.instances })}
        </Text>
        {isHere && <Tag tone="info">{t('ui.viewer.priors.isOpen')}</Tag>}
        {add.error && <Failed error={add.error} />}
      </div>
      <Button
        size="compact-sm"
        variant="default"
        loading={add.isPending || isAwaited}
        onClick={() => add.mutate()}
      >
        {isHere ? t('ui.viewer.priors.again') : t('ui.viewer.priors.add')}
      </Button>
    </li>
  )
}
