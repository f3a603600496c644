// rgu doctor: what the machine is, what it reaches, and which parts of rgu are there.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/startup_environment.hpp"
#include "rgu/base/version.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/lm_program.hpp"
#include "rgu/cli/machine.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {
namespace {

struct DoctorArguments {
  bool json = false;
  ThreadArgument threads;
  double seconds = 1;
};

// What `rgu-lm --parts` says, as JSON; null where there is no such program or it does not start.
Json language_model_parts() {
  const std::optional<std::filesystem::path> program = lm_program();
  if (!program) return nullptr;
  apply_startup_settings();
  const std::string call = fmt::format("'{}' --parts 2>/dev/null", program->string());
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(call.c_str(), "r"), pclose);
  if (!pipe) return nullptr;
  std::string text;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
  const Json parts = Json::parse(text, nullptr, false);
  return parts.is_discarded() ? Json{{"error", "rgu-lm does not start"}} : parts;
}

Json json_of(const MeasuredRates& rates) {
  return {{"sgemm_gflops", rates.sgemm / 1e9},
          {"dgemm_gflops", rates.dgemm / 1e9},
          {"read_gb_per_s", rates.read / 1e9}};
}

Json diagnosis(const DoctorArguments& arguments) {
  const MachineFacts machine = machine_facts();
  const int threads = arguments.threads.threads > 0 ? arguments.threads.threads : machine.threads;
  const MeasuredRates one = measured_rates(1, arguments.seconds);
  const MeasuredRates all = threads > 1 ? measured_rates(threads, arguments.seconds) : one;
  const BlasFacts blas = blas_facts();
  Json settings = Json::object();
  for (const EnvironmentSetting& setting : startup_settings()) {
    const char* value = std::getenv(setting.name.c_str());
    settings[setting.name] = {{"wanted", setting.value},
                              {"value", value != nullptr ? Json(value) : Json(nullptr)},
                              {"reason", setting.reason}};
  }
  return {{"version", version_text()},
          {"cpu",
           {{"model", machine.cpu},
            {"threads", machine.threads},
            {"instructions", machine.instructions}}},
          {"memory", {{"bytes", machine.memory}, {"available", machine.available}}},
          {"blas",
           {{"library", blas.library},
            {"kernels", blas.kernels},
            {"replaced", blas.replaced},
            {"threading", blas.threading},
            {"threads", blas.threads}}},
          {"measured", {{"threads", threads}, {"one", json_of(one)}, {"all", json_of(all)}}},
          {"environment", settings},
          {"parts",
           {{"autodiff", RGU_HAS_AUTODIFF != 0}, {"language_models", language_model_parts()}}}};
}

std::string kernels_text(const Json& blas) {
  const std::string replaced = blas["replaced"];
  std::string text = fmt::format("kernels {}", blas["kernels"].get<std::string>());
  if (!replaced.empty()) {
    text += fmt::format(
        " (chosen by rgu; the library had chosen {}, which is several times slower)", replaced);
  }
  return text;
}

std::string rates_text(const Json& rates) {
  return fmt::format("sgemm {:.0f} GFLOPS, dgemm {:.0f} GFLOPS, reads {:.1f} GB/s",
                     rates["sgemm_gflops"].get<double>(), rates["dgemm_gflops"].get<double>(),
                     rates["read_gb_per_s"].get<double>());
}

std::string parts_text(const Json& parts) {
  if (parts.is_null()) return "not found (rgu-lm is neither beside rgu nor on the PATH)";
  if (parts.contains("error")) return parts["error"];
  std::string text = fmt::format("decode path {}", parts["decode"].get<std::string>());
  if (parts["torch"].is_null()) return text + "; built without LibTorch, so without training";
  return text + fmt::format("; LibTorch {} ({}, {} threads, CUDA {})",
                            parts["torch"].get<std::string>(), parts["aten"].get<std::string>(),
                            parts["threads"].get<int>(),
                            parts["cuda"].get<bool>() ? "available" : "not available");
}

void print(const Json& facts) {
  const auto line = [](std::string_view name, const std::string& text) {
    say("{:<17}{}\n", name, text);
  };
  const auto gigabytes = [&](const char* key) {
    return facts["memory"][key].get<double>() / (1 << 30);
  };
  line("rgu", facts["version"].get<std::string>().substr(4));
  line("cpu", fmt::format("{}, {} threads, {}", facts["cpu"]["model"].get<std::string>(),
                          facts["cpu"]["threads"].get<int>(),
                          facts["cpu"]["instructions"].get<std::string>()));
  line("memory",
       fmt::format("{:.1f} GB, {:.1f} GB available", gigabytes("bytes"), gigabytes("available")));
  line("blas", fmt::format("{}, {}", facts["blas"]["library"].get<std::string>(),
                           kernels_text(facts["blas"])));
  line("", fmt::format("threads by {}, {} of them", facts["blas"]["threading"].get<std::string>(),
                       facts["blas"]["threads"].get<int>()));
  line("1 thread", rates_text(facts["measured"]["one"]));
  line(fmt::format("{} threads", facts["measured"]["threads"].get<int>()),
       rates_text(facts["measured"]["all"]));
  line("language models", parts_text(facts["parts"]["language_models"]));
  line("autodiff",
       facts["parts"]["autodiff"].get<bool>() ? "ADOL-C" : "not built (-DRGU_AUTODIFF=ON)");
  for (const auto& [name, setting] : facts["environment"].items()) {
    if (setting["value"].is_null() || setting["value"] == setting["wanted"]) continue;
    line("note",
         fmt::format("{} is {} in your environment; rgu would set {} ({})", name,
                     setting["value"].get<std::string>(), setting["wanted"].get<std::string>(),
                     setting["reason"].get<std::string>()));
  }
}

int doctor(const DoctorArguments& arguments) {
  const Json facts = diagnosis(arguments);
  if (arguments.json) {
    say_json(to_text(facts));
  } else {
    print(facts);
  }
  return kDone;
}

}  // namespace

void add_doctor(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("doctor", "What this machine reaches, and which parts of rgu are there");
  auto arguments = std::make_shared<DoctorArguments>();
  command->add_flag("--json", arguments->json, "As JSON");
  command->add_option("--seconds", arguments->seconds, "Time to measure for, per number of threads")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  arguments->threads.add_to(*command);
  command->footer("Example:\n  rgu doctor");
  command->callback([arguments, &chosen] { chosen = [arguments] { return doctor(*arguments); }; });
}

}  // namespace rgu
