import { answerCalls } from '../thread.ts';
import { postPush } from './post-push.ts';

answerCalls(postPush);
