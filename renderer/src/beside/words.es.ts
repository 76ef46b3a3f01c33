import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  label: 'Imágenes',
  frame: 'Imágenes del estudio',
  open: 'Abrir las imágenes',
  ask: 'Pedir las imágenes al socio',
  askMeaning: 'Aquí no se recibió ninguna imagen de este estudio. Puede que el socio las tenga.',
  window: 'Imágenes en una ventana propia',
  openWindow: 'Abrir la ventana de imágenes',
  beside: 'Imágenes junto al informe',
  bringBack: 'Traer de vuelta las imágenes',
  again: 'Abrir las imágenes de nuevo',
  hide: 'Ocultar las imágenes',
  opening: 'Se están abriendo las imágenes',
  failed: 'No se pudieron abrir las imágenes',
  retry: 'Intentar de nuevo',
  blocked:
    'El navegador no dejó abrir una ventana. Permita las ventanas emergentes para esta dirección, o muestre las imágenes junto al informe.',
  blockedTab:
    'El navegador no dejó abrir una ventana. Permita las ventanas emergentes para esta dirección.',
  split: 'Ancho de las imágenes',
  tabs: {
    label: 'Partes del informe',
    report: 'Informe',
    context: 'Contexto e informes anteriores',
    signed: 'Firmado',
  },
  indication: 'Indicación',
}
