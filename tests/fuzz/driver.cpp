// SPDX-License-Identifier: GPL-3.0-or-later
// fuzz_TARGET [--runs N] [--seed S] [--longest N] CORPUS…: the inputs of the corpus (files, or folders of them), then N
// that are made of them. The input that breaks a promise is left in the working folder.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutation.h"

// The sanitizers then end as everything else that breaks: by a signal that keeps the input.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options()
{
    return "abort_on_error=1";
}

namespace {

struct Arguments {
    std::uint64_t runs = 2'000;
    std::uint64_t seed = 1;
    std::size_t longest = 16'384;
    std::vector<std::string> corpus;
};

std::optional<Arguments> argumentsOf(int count, char** values)
{
    Arguments arguments;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = values[i];
        if (word.substr(0, 2) != "--") {
            arguments.corpus.emplace_back(word);
            continue;
        }
        std::uint64_t number = 0;
        const std::string_view value = i + 1 < count ? values[++i] : "";
        const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
        if (read.ec != std::errc() || read.ptr != value.data() + value.size())
            return std::nullopt;
        if (word == "--runs")
            arguments.runs = number;
        else if (word == "--seed")
            arguments.seed = number;
        else if (word == "--longest")
            arguments.longest = static_cast<std::size_t>(number);
        else
            return std::nullopt;
    }
    return arguments;
}

int usage(const char* program)
{
    std::fprintf(stderr, "usage: %s [--runs N] [--seed S] [--longest N] CORPUS...\n", program);
    return 2;
}

} // namespace

#ifdef FENCEPOST_LIBFUZZER

// libFuzzer brings its own main and asks here first: the same words as without it.
extern "C" int LLVMFuzzerInitialize(int* count, char*** values);
extern "C" int LLVMFuzzerInitialize(int* count, char*** values)
{
    const auto arguments = argumentsOf(*count, *values);
    if (!arguments)
        std::exit(usage((*values)[0]));
    // What it finds new stays in its memory: it would write into the first folder that it is given.
    static std::vector<std::string> words;
    words = { (*values)[0], "-runs=" + std::to_string(arguments->runs), "-seed=" + std::to_string(arguments->seed),
        "-max_len=" + std::to_string(arguments->longest), "-timeout=20", "-print_final_stats=1" };
    static std::string found = (std::filesystem::temp_directory_path() / "fencepost_fuzz_XXXXXX").string();
    if (mkdtemp(found.data()) != nullptr) {
        words.push_back(found);
        std::atexit([] { std::filesystem::remove_all(found); });
    }
    words.insert(words.end(), arguments->corpus.begin(), arguments->corpus.end());
    static std::vector<char*> pointers;
    for (auto& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    *count = static_cast<int>(words.size());
    *values = pointers.data();
    return 0;
}

#else

namespace {

// Of the input that is being read, for the handler of the signal that it may end in.
const std::string* current = nullptr;
char keptAs[64] = "broken_input";

void keepInput(int signal)
{
    constexpr char hang[] = "an input that takes longer than 20 s\n";
    if (signal == SIGALRM && write(STDERR_FILENO, hang, sizeof hang - 1) < 0)
        _exit(3);
    if (current != nullptr) {
        std::FILE* file = std::fopen(keptAs, "wb");
        if (file != nullptr) {
            std::fwrite(current->data(), 1, current->size(), file);
            std::fclose(file);
            std::fprintf(stderr, "the input is kept in %s\n", keptAs);
        }
    }
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
}

void run(const std::string& input)
{
    // A copy of its own size, so that the sanitizer sees a read behind it.
    const std::vector<std::uint8_t> octets(input.begin(), input.end());
    current = &input;
    alarm(20);
    LLVMFuzzerTestOneInput(octets.data(), octets.size());
    alarm(0);
    current = nullptr;
}

bool addInputs(const std::filesystem::path& path, std::vector<std::string>& inputs)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(path, error))
            files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        return !files.empty()
            && std::all_of(files.begin(), files.end(), [&](const auto& file) { return addInputs(file, inputs); });
    }
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    return file.good() || file.eof();
}

} // namespace

int main(int count, char** values)
{
    const auto arguments = argumentsOf(count, values);
    if (!arguments)
        return usage(values[0]);
    std::vector<std::string> inputs;
    for (const auto& place : arguments->corpus)
        if (!addInputs(place, inputs)) {
            std::fprintf(stderr, "%s cannot be read\n", place.c_str());
            return 2;
        }
    std::snprintf(keptAs, sizeof keptAs, "%.40s.broken", std::filesystem::path(values[0]).filename().string().c_str());
    for (const int signal : { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM })
        std::signal(signal, keepInput);

    const auto start = std::chrono::steady_clock::now();
    run({});
    for (const auto& input : inputs)
        run(input);
    fencepost::fuzz::Mutation mutation(inputs, arguments->seed, arguments->longest);
    std::uint64_t octets = 0;
    for (std::uint64_t i = 0; i < arguments->runs; ++i) {
        const auto& input = mutation.next();
        octets += input.size();
        run(input);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    std::printf("%llu inputs, %.1f MB, %.1f s, seed %llu: every promise held\n",
        static_cast<unsigned long long>(arguments->runs + inputs.size() + 1), static_cast<double>(octets) / 1e6,
        spent.count(), static_cast<unsigned long long>(arguments->seed));
    return 0;
}

#endif
