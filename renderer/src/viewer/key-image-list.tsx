import { ActionIcon, Button, NativeSelect, TextInput, Tooltip } from '@mantine/core'
import { IconStar, IconStarFilled, IconTrash } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { KEY_IMAGE_TITLES, type KeyImageTitle } from '#shared/contract/saved-drawings.ts'
import { t } from '../i18n/t.ts'
import { run } from './commands.ts'
import { keyText } from './key-map.ts'
import { nameOf } from './overlay-text.ts'
import type { KeyImage } from './saved-to-study.ts'
import { foundImage, showInstance } from './show-instance.ts'
import css from './side.module.css'
import { useActivePaneId, useImages, usePaneState, useViewerContext } from './viewer-context.ts'

/** Images that are marked as key images, and the button that marks the one in the active pane. */
export function KeyImageList() {
  const viewerContext = useViewerContext()
  const { drawings } = viewerContext
  const { studies } = useSyncExternalStore(drawings.subscribe, drawings.state)
  const marked = [...studies].flatMap(([studyUid, { keyImages, study }]) =>
    keyImages.map((keyImage) => ({
      studyUid,
      keyImage,
      isSaved: study?.drawings.some(({ uid }) => uid === keyImage.id) ?? false,
    })),
  )
  const isShown = usePaneState(useActivePaneId(), ({ image, plane }) => image !== null && !plane)
  const isOn = useIsKeyImage(useActivePaneId())
  return (
    <section aria-label={t('ui.viewer.keyImages.title')}>
      <h3 className={css.heading}>{t('ui.viewer.keyImages.title')}</h3>
      <Tooltip label={keyText('keyImage')}>
        <Button
          size="compact-sm"
          mb={10}
          variant="default"
          leftSection={isOn ? <IconStarFilled size={15} /> : <IconStar size={15} />}
          disabled={!isShown}
          onClick={() => run('keyImage', viewerContext)}
        >
          {t(isOn ? 'ui.viewer.keyImages.unmark' : 'ui.viewer.keyImages.mark')}
        </Button>
      </Tooltip>
      <ul className={css.list}>
        {marked.map((one) => (
          <Item key={one.keyImage.id} {...one} />
        ))}
      </ul>
    </section>
  )
}

/** Whether the image in the pane is a key image. */
export function useIsKeyImage(paneId: string): boolean {
  const { drawings } = useViewerContext()
  const { studies } = useSyncExternalStore(drawings.subscribe, drawings.state)
  const series = usePaneState(paneId, (state) => state.series)
  const image = usePaneState(paneId, (state) => state.image)
  const plane = usePaneState(paneId, (state) => state.plane)
  const kept = studies.get(series?.studyInstanceUid ?? '')
  return (
    !plane &&
    (kept?.keyImages.some(
      ({ sopInstanceUid, frame }) =>
        sopInstanceUid === image?.sopInstanceUid && frame === image.frame,
    ) ??
      false)
  )
}

function Item({
  studyUid,
  keyImage,
  isSaved,
}: {
  studyUid: string
  keyImage: KeyImage
  isSaved: boolean
}) {
  const viewerContext = useViewerContext()
  const images = useImages()
  const { sopInstanceUid, frame, title, text } = keyImage
  const found = foundImage(images, sopInstanceUid, frame)
  const where = found
    ? t('ui.viewer.drawings.where', { series: nameOf(found.series), number: found.index + 1 })
    : t('ui.viewer.drawings.gone')
  const change = (part: Partial<KeyImage>) =>
    viewerContext.drawings.changeKeyImage(studyUid, { ...keyImage, ...part })
  const isFixed = isSaved && viewerContext.viewerStore.view.kind !== 'window'
  const remove = t('ui.viewer.keyImages.remove', { where })
  return (
    <li className={css.item}>
      <IconStarFilled size={18} aria-hidden className={css.star ?? ''} />
      <div className={css.body}>
        {found ? (
          <button
            type="button"
            className={css.link}
            onClick={() => showInstance(viewerContext, sopInstanceUid, frame)}
          >
            {where}
          </button>
        ) : (
          where
        )}
        <NativeSelect
          size="xs"
          mt={4}
          aria-label={t('ui.viewer.keyImages.purpose', { where })}
          value={title}
          onChange={({ currentTarget }) => change({ title: currentTarget.value as KeyImageTitle })}
          data={KEY_IMAGE_TITLES.map((value) => ({
            value,
            label: t(`ui.viewer.keyImages.titles.${value}`),
          }))}
        />
        <TextInput
          size="xs"
          mt={4}
          maxLength={1000}
          aria-label={t('ui.viewer.keyImages.description', { where })}
          placeholder={t('ui.viewer.keyImages.placeholder')}
          defaultValue={text}
          onBlur={({ currentTarget }) => {
            const written = currentTarget.value.trim()
            if (written !== text) change({ text: written })
          }}
        />
      </div>
      <Tooltip label={isFixed ? t('ui.viewer.drawings.study.fixed') : remove}>
        <ActionIcon
          size="md"
          aria-label={remove}
          aria-disabled={isFixed || undefined}
          data-disabled={isFixed}
          onClick={() =>
            !isFixed && viewerContext.drawings.toggleKeyImage(studyUid, sopInstanceUid, frame)
          }
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}
