import type { Sentence } from '../catalogue.ts'

export const VIEWER_ENGINE: readonly Sentence[] = [
  [
    'The image is compressed in a way that cannot be shown here (transfer syntax {}).',
    'La imagen está comprimida de un modo que no se puede mostrar aquí (sintaxis de transferencia {0}).',
  ],
  ['The image has no pixel data.', 'La imagen no tiene datos de píxeles.'],
  [
    "The {} data has another size than the image's header says, or is cut short.",
    'Los datos {0} tienen otro tamaño que el que dice la cabecera de la imagen, o están cortados.',
  ],
  ['The {} decoder gave no answer.', 'El decodificador {0} no respondió.'],
  [
    'The {} data cannot be decoded: it is damaged or cut short.',
    'Los datos {0} no se pueden decodificar: están dañados o cortados.',
  ],
  [
    'Colours by the photometric interpretation {} cannot be shown here.',
    'Los colores con la interpretación fotométrica {0} no se pueden mostrar aquí.',
  ],
  [
    'The image is in palette colours, and has no palette.',
    'La imagen usa una paleta de colores y no tiene paleta.',
  ],
  [
    'This browser cannot show images: it lacks what the viewer draws with.',
    'Este navegador no puede mostrar imágenes: le falta lo que el visor usa para dibujar.',
  ],
  ['The image could not be fetched.', 'No se pudo obtener la imagen.'],
  [
    'The gateway sent the image without its transfer syntax.',
    'La pasarela envió la imagen sin su sintaxis de transferencia.',
  ],
  [
    'The gateway does not answer. It may be starting again; the image is asked for again when it is shown.',
    'La pasarela no responde. Puede que se esté reiniciando; la imagen se pide de nuevo cuando se muestre.',
  ],
  [
    'The gateway answered with HTTP status {} and no explanation.',
    'La pasarela respondió con el estado HTTP {0} y sin explicación.',
  ],
  [
    'There is no memory left for this image in this window.',
    'No queda memoria para esta imagen en esta ventana.',
  ],
  ['The image cannot be decoded.', 'La imagen no se puede decodificar.'],
  ["The image's header has not come.", 'No ha llegado la cabecera de la imagen.'],
  [
    'Its values do not fit those of the other slices.',
    'Sus valores no encajan con los de los demás cortes.',
  ],
  ['It is no image.', 'No es una imagen.'],
  [
    'The image is too large to be shown here: {} × {} pixels.',
    'La imagen es demasiado grande para mostrarla aquí: {0} × {1} píxeles.',
  ],
  [
    'The JPEG data cannot be decoded: it is damaged or cut short.',
    'Los datos JPEG no se pueden decodificar: están dañados o cortados.',
  ],
  [
    "The JPEG data has another size than the image's header says.",
    'Los datos JPEG tienen otro tamaño que el que dice la cabecera de la imagen.',
  ],
  [
    'The browser has no memory left for this image.',
    'Al navegador no le queda memoria para esta imagen.',
  ],
  [
    'Lengths are at the detector, larger than in the patient.',
    'Las longitudes son en el detector, mayores que en el paciente.',
  ],
  [
    'Lengths are in pixels: the image says no spacing.',
    'Las longitudes están en píxeles: la imagen no indica espaciado.',
  ],
  [
    'The partner announced this image and gave no file of it.',
    'El socio anunció esta imagen y no dio ningún archivo de ella.',
  ],
  ['The image cannot be shown.', 'La imagen no se puede mostrar.'],
  ['The image was left before it came.', 'Se dejó la imagen antes de que llegara.'],
  [
    'The image is cut short: {} % of its pixels are there.',
    'La imagen está cortada: está el {0} % de sus píxeles.',
  ],
  [
    'The image is cut short: its RLE header is not there.',
    'La imagen está cortada: falta su cabecera RLE.',
  ],
  [
    'The image has {} RLE segments, and its header calls for {}.',
    'La imagen tiene {0} segmentos RLE, y su cabecera pide {1}.',
  ],
  [
    'The image is cut short: {} % of an RLE segment is there.',
    'La imagen está cortada: está el {0} % de un segmento RLE.',
  ],
  ['Pixels of {} bits cannot be shown here.', 'Los píxeles de {0} bits no se pueden mostrar aquí.'],
  [
    'Its images were announced, and no file of them came.',
    'Sus imágenes se anunciaron, y no llegó ningún archivo de ellas.',
  ],
  [
    'The browser has no memory left for this picture.',
    'Al navegador no le queda memoria para esta miniatura.',
  ],
  [
    'The tools of the viewer could not be made.',
    'No se pudieron crear las herramientas del visor.',
  ],
  ['It has no images.', 'No tiene imágenes.'],
  ['It has fewer than {} slices.', 'Tiene menos de {0} cortes.'],
  ['{} of its images cannot be had.', '{0} de sus imágenes no se pueden obtener.'],
  [
    'Its images do not say where in the patient they lie.',
    'Sus imágenes no dicen dónde están en el paciente.',
  ],
  ['Its images are in colour.', 'Sus imágenes son en color.'],
  ['Its images name no frame of reference.', 'Sus imágenes no indican un sistema de referencia.'],
  ['Its images differ in size.', 'Sus imágenes tienen tamaños diferentes.'],
  [
    'Its images are of more than one frame of reference.',
    'Sus imágenes son de más de un sistema de referencia.',
  ],
  [
    'Not all of its images say where in the patient they lie.',
    'No todas sus imágenes dicen dónde están en el paciente.',
  ],
  ['Its slices are not parallel.', 'Sus cortes no son paralelos.'],
  ['Its images differ in pixel spacing.', 'Sus imágenes tienen espaciados de píxel diferentes.'],
  ['Several of its images lie at one place.', 'Varias de sus imágenes están en el mismo lugar.'],
  ['Its slices are not equally spaced.', 'Sus cortes no están a distancias iguales.'],
  ['Its slices were taken with a tilted gantry.', 'Sus cortes se tomaron con el gantry inclinado.'],
  [
    'This browser has no WebGL, without which other planes cannot be cut.',
    'Este navegador no tiene WebGL, sin el cual no se pueden reconstruir otros planos.',
  ],
  [
    'The volume takes {} MB, more than this window may use. Look at the images themselves.',
    'El volumen ocupa {0} MB, más de lo que puede usar esta ventana. Mire las imágenes originales.',
  ],
  ['JPEG of 12 bits', 'JPEG de 12 bits'],
  ['lossless JPEG', 'JPEG sin pérdida'],
  ['High-Throughput JPEG 2000', 'High-Throughput JPEG 2000'],
  ['Curve of the image {}', 'Curva de la imagen {0}'],
  ['Curve of the image', 'Curva de la imagen'],
  ['Soft tissue', 'Partes blandas'],
  ['From the image {}', 'De la imagen {0}'],
  ['From the image', 'De la imagen'],
  ['As opened', 'Como se abrió'],
  ['{} frames', '{0} fotogramas'],
  ['Size not known yet', 'Tamaño aún desconocido'],
  ['Lung', 'Pulmón'],
  ['Bone', 'Hueso'],
  ['Brain', 'Cerebro'],
  ['Stroke', 'Ictus'],
  ['Subdural', 'Subdural'],
  ['Mediastinum', 'Mediastino'],
  ['Liver', 'Hígado'],
  ['Angiography', 'Angiografía'],
  ['Automatic', 'Automático'],
  ['Localizer {#} × {#}', 'Localizador {0} × {1}'],
  ['Localizer {#} × {#} colour', 'Localizador {0} × {1} color'],
  ['{#} × {#} colour', '{0} × {1} color'],
  ['Localizer {#} × {#} axial', 'Localizador {0} × {1} axial'],
  ['Localizer {#} × {#} sagittal', 'Localizador {0} × {1} sagital'],
  ['Localizer {#} × {#} coronal', 'Localizador {0} × {1} coronal'],
  ['{#} × {#} axial', '{0} × {1} axial'],
  ['{#} × {#} sagittal', '{0} × {1} sagital'],
  ['{#} × {#} coronal', '{0} × {1} coronal'],
]
