// What each video vendor accepts as an order.
import { Shapes } from '../shape-check.ts';

export const clipShapes = new Shapes(`
  Picture = { bytesBase64Encoded: text(4..), mimeType: 'image/png' | 'image/jpeg' }
  Veo = {
    instances: [{ prompt?: text(1..), image? lastFrame?: Picture }](1..1),
    parameters?: {
      aspectRatio?: '16:9' | '9:16', resolution?: '720p' | '1080p', durationSeconds?: int(1..), generateAudio?: flag,
      negativePrompt?: text, enhancePrompt?: flag, personGeneration?: 'dont_allow' | 'allow_adult', sampleCount?: int(1..4),
      seed?: int, fps?: int(1..)
    }
  }
  Seedance = {
    model: text(1..),
    content: [{
      type: 'text' | 'image_url', text?: text(1..), image_url?: { url: imageUri }, role?: 'first_frame' | 'last_frame'
    }](1..),
    ratio?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | '21:9', resolution?: '480p' | '720p' | '1080p', duration?: int(2..12),
    generate_audio?: flag, seed?: int
  }
  Wan = {
    model: text(1..),
    input: { prompt?: text(1..), negative_prompt?: text, img_url? first_frame_url? last_frame_url?: imageUri },
    parameters?: {
      resolution?: '480P' | '720P' | '1080P', ratio?: '16:9' | '9:16' | '1:1', duration?: int(2..15),
      prompt_extend? audio?: flag, seed?: int(0..)
    }
  }
  Kling = {
    model_name: text(1..), prompt?: text(1..), negative_prompt?: text, image? image_tail?: imageBytes,
    aspect_ratio?: '16:9' | '9:16' | '1:1', duration?: '5' | '8' | '10', mode?: 'std' | 'pro', sound?: 'on' | 'off'
  }
  Hailuo = {
    model: text(1..), prompt?: text(1..), first_frame_image? last_frame_image?: imageUri, resolution?: '768P' | '1080P',
    duration?: int(6..10), prompt_optimizer?: flag
  }
  Grok = {
    model prompt: text(1..), image?: { url: imageUri }, aspect_ratio?: '16:9' | '9:16' | '1:1',
    resolution?: '480p' | '720p', duration?: int(1..15)
  }
  Sora = {
    model prompt: text(1..), seconds?: '4' | '8' | '12',
    size?: '1280x720' | '720x1280' | '1792x1024' | '1024x1792', input_reference?: { image_url: imageUri }
  }
  SoraRemix = { prompt: text(1..) }
  Fal = {
    prompt: text(1..), image_url? end_image_url?: imageUri,
    aspect_ratio?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | '21:9' | 'auto', resolution?: '480p' | '720p' | '1080p',
    duration?: text(/^(?:[3-9]|1[0-2])$/), generate_audio?: flag, negative_prompt?: text, seed?: int
  }
`);
