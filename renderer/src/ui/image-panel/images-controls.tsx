import { ActionIcon, Button, Tooltip } from '@mantine/core'
import {
  IconArrowBarToLeft,
  IconExternalLink,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconPhoto,
  IconRefresh,
  type Icon as TablerIcon,
} from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'
import type { StudyImages } from './use-images.ts'

/**
 * Where the images are while the report is written: beside it, in a window of their own, or not at
 * all.
 */
export function ImagesControls({ images, hasImages }: { images: StudyImages; hasImages: boolean }) {
  const { mode, isWindowOpen, choose, again } = images
  if (mode === 'beside') {
    return (
      <>
        <Control
          icon={IconRefresh}
          name={t('ui.image-panel.again')}
          isBusy={images.isOpening}
          onClick={() => void again()}
        />
        <Control
          icon={IconExternalLink}
          name={t('ui.image-panel.window')}
          onClick={() => choose('window')}
        />
        <Control
          icon={IconLayoutSidebarLeftCollapse}
          name={t('ui.image-panel.hide')}
          onClick={() => choose('hidden')}
        />
      </>
    )
  }
  if (mode === 'window' && isWindowOpen) {
    return (
      <>
        <Control
          icon={IconRefresh}
          name={t('ui.image-panel.again')}
          isBusy={images.isOpening}
          onClick={() => void again()}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowBarToLeft size={15} />}
          onClick={() => choose('beside')}
        >
          {t('ui.image-panel.bringBack')}
        </Button>
      </>
    )
  }
  if (mode === 'window') {
    return (
      <>
        <Button
          size="xs"
          variant="light"
          leftSection={<IconExternalLink size={15} />}
          onClick={() => choose('window')}
        >
          {t('ui.image-panel.openWindow')}
        </Button>
        <Control
          icon={IconLayoutSidebarLeftExpand}
          name={t('ui.image-panel.beside')}
          onClick={() => choose('beside')}
        />
      </>
    )
  }
  return (
    <>
      <Tooltip label={t('ui.image-panel.askMeaning')} disabled={hasImages}>
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPhoto size={15} />}
          onClick={() => choose('beside')}
        >
          {hasImages ? t('ui.image-panel.open') : t('ui.image-panel.ask')}
        </Button>
      </Tooltip>
      <Control
        icon={IconExternalLink}
        name={t('ui.image-panel.window')}
        onClick={() => choose('window')}
      />
    </>
  )
}

function Control(props: { icon: TablerIcon; name: string; isBusy?: boolean; onClick: () => void }) {
  const { icon: Icon, name, isBusy = false, onClick } = props
  return (
    <Tooltip label={name}>
      <ActionIcon aria-label={name} loading={isBusy} onClick={onClick}>
        <Icon size={17} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  )
}
