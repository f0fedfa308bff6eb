# SPDX-License-Identifier: Apache-2.0
# bash completion for denoir-cli; made by `denoir-cli completion bash`
_denoir_cli() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "render decode verify runs sweep compare module tokenize inspect convert trace compare-traces compare-precision bench --help --version" -- "$word"))
        return
    fi
    case "${COMP_WORDS[1]} $before" in
    convert\ --dtype) COMPREPLY=($(compgen -W "f32 bf16 f16" -- "$word")); return ;;
    *\ --lora-expert) COMPREPLY=($(compgen -W "high low both" -- "$word")); return ;;
    *\ --mode) COMPREPLY=($(compgen -W "t2v i2v flf2v forcing" -- "$word")); return ;;
    *\ --family) COMPREPLY=($(compgen -W "wan skyreels skyreels-df wan2.2" -- "$word")); return ;;
    *\ --sampler) COMPREPLY=($(compgen -W "unipc dpmpp euler" -- "$word")); return ;;
    *\ --preprocess) COMPREPLY=($(compgen -W "original diffusers" -- "$word")); return ;;
    *\ --dtype) COMPREPLY=($(compgen -W "f32 bf16" -- "$word")); return ;;
    *\ --precision) COMPREPLY=($(compgen -W "f32 wan skyreels" -- "$word")); return ;;
    *\ --device) COMPREPLY=($(compgen -W "cpu cuda" -- "$word")); return ;;
    *\ --latents) COMPREPLY=($(compgen -W "all last none" -- "$word")); return ;;
    *\ --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$word")); return ;;
    *\ --match) COMPREPLY=($(compgen -W "index time" -- "$word")); return ;;
    *\ --resize) COMPREPLY=($(compgen -W "no a b" -- "$word")); return ;;
    *\ --depth) COMPREPLY=($(compgen -W "8 float" -- "$word")); return ;;
    *\ --difference-mode) COMPREPLY=($(compgen -W "absolute signed" -- "$word")); return ;;
    *\ --quantize) COMPREPLY=($(compgen -W "q8_0 fp8_scaled" -- "$word")); return ;;
    *\ --layout) COMPREPLY=($(compgen -W "original diffusers comfy" -- "$word")); return ;;
    esac
    case ${COMP_WORDS[1]} in
    render) options="--help --prompt --negative-prompt --image --last-image --model --vae --text-encoder --clip --tokenizer --low-noise --lora --lora-strength --lora-expert --mode --family --size --frames --fps --steps --guidance --guidance-low --guidance-until --shift --seed --sampler --cache-threshold --cache-ret-steps --noise --preprocess --dtype --precision --device --threads --out --run-dir --latents --no-metadata --resume --from --step --progress --json" ;;
    decode) options="--help --step --out --threads --progress --json" ;;
    verify) options="--help --threads --progress --json" ;;
    runs) options="--help --search --json" ;;
    sweep) options="--help --prompt --negative-prompt --image --last-image --model --vae --text-encoder --clip --tokenizer --low-noise --lora --lora-strength --lora-expert --mode --family --size --frames --fps --steps --guidance --guidance-low --guidance-until --shift --seed --sampler --cache-threshold --cache-ret-steps --noise --preprocess --dtype --precision --device --threads --axis --reference --out --latents --no-reuse --list --resume --progress --json" ;;
    compare) options="--help --offset --match --resize --step-a --step-b --depth --lpips --side-by-side --difference --difference-mode --amplify --report --csv --min-psnr --min-ssim --threads --progress --json" ;;
    module) options="--help --weights --inputs --out --dtype --precision --set --device --threads --json" ;;
    tokenize) options="--help --model --json" ;;
    inspect) options="--help --tensors --json" ;;
    convert) options="--help --dtype --quantize --layout --progress --json" ;;
    trace) options="--help --prompt --negative-prompt --image --last-image --model --vae --text-encoder --clip --tokenizer --low-noise --lora --lora-strength --lora-expert --mode --family --size --frames --fps --solver-steps --guidance --guidance-low --guidance-until --shift --seed --sampler --cache-threshold --cache-ret-steps --noise --preprocess --dtype --precision --device --threads --out --layers --steps --list --progress --json" ;;
    compare-traces) options="--help --report --csv --max-error --progress --json" ;;
    compare-precision) options="--help --prompt --negative-prompt --image --last-image --model --vae --text-encoder --clip --tokenizer --low-noise --lora --lora-strength --lora-expert --mode --family --size --frames --fps --solver-steps --guidance --guidance-low --guidance-until --shift --seed --sampler --cache-threshold --cache-ret-steps --noise --preprocess --dtype --precision --device --threads --a --b --report --csv --keep --layers --steps --progress --json" ;;
    bench) options="--help --list --only --model --image --size --frames --dtype --device --threads --json" ;;
    esac
    if [ "${COMP_WORDS[1]}" = module ] && [ "$COMP_CWORD" -eq 2 ]; then
        options="$options wan-transformer wan-vae-encode wan-vae-decode umt5 clip-vision scheduler timestep-matrix noise"
    fi
    case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$options" -- "$word") $(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _denoir_cli denoir-cli
